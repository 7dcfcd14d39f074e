#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>

#include "common/status.h"
#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/kernels/fa4_plugin.h"
#include "rose/kernels/launch.h"

namespace rose::cuda {

/// FlashAttention 4, where the user has built it (scripts/build_fa4.sh): attention that is faster
/// than ours for one sequence of 128 to 512 or of thousands of tokens. Stays loaded until the
/// process ends, since graphs hold its kernels.
class Fa4Library {
 public:
  /// The plug-in at `path`; if that is empty, the one that PARTERRE_FA4_LIBRARY names or, without
  /// it, libparterre_fa4.so beside the program: null if it is not there, which is fine.
  /// InvalidArgument if it is named and not there, or there and not usable: worth one warning, and
  /// no reason to stop.
  static absl::StatusOr<std::unique_ptr<Fa4Library>> Find(const std::string& path = "");

  /// Whether it computes this, on devices of compute capability 9.0.
  bool Supports(const AttentionParams& params, DType dtype, kernels::Fa4Tile tile) const;

  /// Loads the kernels on a device, before the first call there. Again is harmless.
  absl::Status Load(int device) const;

  /// Attention of Ops over packed qkv [tokens × qkv_cols()]; out [tokens × heads·head_dim]. What
  /// kernels::Fa4Attention says of sequences and padding holds here.
  cudaError_t Attention(const kernels::Launch& launch, kernels::Fa4Tile tile,
                        const AttentionParams& params, int64_t sequences, const int32_t* cu_seqlens,
                        Tensor qkv, Tensor out) const;

  const std::string& path() const { return path_; }

 private:
  explicit Fa4Library(std::string path) : path_(std::move(path)) {}
  absl::Status Open();

  std::string path_;
  decltype(&kernels::parterre_fa4_supports) supports_ = nullptr;
  decltype(&kernels::parterre_fa4_load) load_ = nullptr;
  decltype(&kernels::parterre_fa4_attention) attention_ = nullptr;
};

}  // namespace rose::cuda
