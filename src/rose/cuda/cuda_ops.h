#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "common/status.h"
#include "rose/core/arena.h"
#include "rose/core/ops.h"
#include "rose/cuda/attention_plans.h"
#include "rose/cuda/cuda_linear.h"
#include "rose/cuda/library_products.h"
#include "rose/cuda/small_products.h"
#include "rose/cuda/stream.h"
#include "rose/kernels/launch.h"
#include "rose/kernels/short_attention.h"
#include "rose/kernels/tile_product.h"

namespace rose::cuda {

/// What the operations of one engine share. All of it outlives them.
struct CudaContext {
  const Stream& stream;
  LibraryProducts& products;
  SmallProducts& small_products;
  AttentionPlans& attention;
  bool overlap = false;        ///< Device::overlaps_kernels().
  bool tile_products = false;  ///< The device has what these are made of.
};

/// The operations on a GPU: each queues its kernels on the stream and returns. Spans point into
/// device memory. The first failure sticks; after it nothing more is queued, and whoever runs the
/// step asks status(). Made anew for each step.
///
/// Where a step is small, the product behind a norm computes it on the way, and attention the norms
/// and rotary positions of its heads. So these may be put off: an operation that reads their output
/// otherwise has it computed first.
class CudaOps final : public Ops {
 public:
  /// `tokens_used`: device memory, how many of the step's `tokens` rows hold tokens.
  CudaOps(const CudaContext& context, DType dtype, Arena& arena, int64_t tokens,
          const int32_t* tokens_used);

  const absl::Status& status() const { return status_; }

  DType dtype() const override { return dtype_; }
  using Ops::Scratch;
  Tensor Scratch(int64_t rows, int64_t cols, DType dtype) override {
    return arena_.Take(rows, cols, dtype);
  }
  int64_t ScratchMark() const override { return arena_.mark(); }
  void ScratchRelease(int64_t mark) override { arena_.Release(mark); }

  void Embed(Tensor table, std::span<const int32_t> ids, Tensor out, bool add) override;
  void Add(Tensor x, Tensor y, Tensor out) override;
  void Norm(const NormParams& norm, Tensor x, Tensor out) override;
  void HeadNorm(const NormParams& norm, int64_t column, int64_t heads, Tensor x) override;
  void Rope(const RopeParams& rope, std::span<const int32_t> position_ids, int64_t heads,
            Tensor x) override;
  void Linear(const LinearWeight& weight, Tensor x, Tensor out) override;
  void Activate(Activation activation, Tensor x) override;
  void Gate(Activation activation, Tensor x, Tensor out) override;
  void Attention(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                 Tensor out) override;
  void Pool(PoolingMode mode, Tensor x, const BatchShape& shape, std::span<const int32_t> skip,
            int64_t column, Tensor out) override;
  void Normalize(std::span<const uint8_t> flags, Tensor x) override;
  void Widen(Tensor x, Tensor out) override;

  void EmbedNorm(Tensor words, std::span<const int32_t> ids, Tensor positions,
                 std::span<const int32_t> position_ids, Tensor types,
                 std::span<const int32_t> type_ids, const NormParams& norm, Tensor out) override;
  void LinearActivate(const LinearWeight& weight, Activation activation, Tensor x,
                      Tensor out) override;
  void LinearGate(const LinearWeight& weight, Activation activation, Tensor x, Tensor out) override;
  void AddNorm(const NormParams& norm, Tensor x, Tensor residual, Tensor out) override;
  void ResidualNorm(const NormParams& norm, Tensor y, Tensor x, Tensor out) override;
  void LinearResidualNorm(const LinearWeight& weight, const NormParams& norm, Tensor y, Tensor x,
                          Tensor out) override;
  void HeadNormRope(const HeadNormRopeParams& params, Tensor qkv) override;
  void PoolNormalize(PoolingMode mode, Tensor x, const BatchShape& shape,
                     std::span<const int32_t> skip, std::span<const uint8_t> flags,
                     Tensor out) override;
  void LinearPool(const LinearWeight& weight, std::span<const Activation> activations,
                  PoolingMode mode, Tensor x, const BatchShape& shape, Tensor out) override;

 private:
  /// A norm whose output nobody has read yet.
  struct PutOff {
    NormParams norm;
    Tensor x;
    Tensor out;  ///< May be x.
    Tensor row_sums;
  };

  /// Norms and rotary positions of the heads in qkv that nobody has read yet.
  struct RawHeads {
    HeadNormRopeParams params;
    Tensor qkv;
  };

  /// Where a kernel over these rows is queued. A tensor with a row for each token has padding.
  kernels::Launch launch(int64_t rows) const;
  /// The same behind the kernel that fetched the step: what it wrote is complete when this one
  /// starts, so that all that follow may read it before they wait for their predecessors.
  kernels::Launch FirstLaunch(int64_t rows) const;
  /// Keeps the first failure.
  void Keep(cudaError_t error, std::string_view what);
  void Keep(absl::Status status);
  bool ok() const { return status_.ok(); }
  /// To be called before a kernel reads x: computes it if it was put off. Whether all is well.
  bool Reads(Tensor x);
  void Multiply(const LinearWeight& weight, Tensor x, ProductTerms terms, Tensor out);
  /// The product by our own kernels, if they can do it; a norm of x that was put off goes into it.
  bool MultiplySmall(const LinearWeight& weight, Tensor x, kernels::SmallProductEpilogue epilogue,
                     Tensor out);
  /// The product and what follows it by our kernels for many tokens, where these are faster.
  bool MultiplyInTiles(const LinearWeight& weight, Tensor x, kernels::TileProductEpilogue epilogue,
                       Tensor out);
  /// x += y Wᵀ + b by our own kernels; puts the norm off where the next product can take it over.
  bool LinearResidualSmall(const LinearWeight& weight, const NormParams& norm, Tensor y, Tensor x,
                           Tensor out);

  CudaContext context_;
  DType dtype_;
  Arena& arena_;
  int64_t tokens_;
  const int32_t* tokens_used_;
  std::optional<PutOff> put_off_;
  std::optional<RawHeads> raw_heads_;
  int row_sums_place_ = 0;  ///< Of the next norm that is put off.
  absl::Status status_;
};

}  // namespace rose::cuda
