#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "common/status.h"
#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/cuda/cuda_linear.h"
#include "rose/cuda/memory.h"
#include "rose/kernels/launch.h"
#include "rose/kernels/small_product.h"

namespace rose::cuda {

/// Our own products for steps of few tokens (rose/kernels/small_product.h) and the weights in the
/// layout that they read. A weight is packed when a step first multiplies with it so, which is
/// while the engine warms up. Where memory for packed weights ends, what is not yet packed is left
/// to the library. One thread.
class SmallProducts {
 public:
  /// `enabled`: the device has what these kernels are made of.
  static absl::StatusOr<SmallProducts> Create(bool enabled);

  /// Queues out = epilogue(x Wᵀ + the weight's bias). What of the epilogue belongs to the weight is
  /// filled in here. False, and nothing is queued, where the library is better or these kernels
  /// cannot do it.
  absl::StatusOr<bool> Run(const kernels::Launch& launch, const CudaLinear& weight, Tensor x,
                           kernels::SmallProductEpilogue epilogue, Tensor out);

  /// Where a residual product leaves what a put-off norm needs of its `rows` rows of `cols`: one of
  /// two places, since the next such product still reads the other.
  Tensor RowSums(int place, kernels::SmallProductNorm norm, int64_t rows, int64_t cols) const;

  int64_t memory_bytes() const { return memory_bytes_; }

 private:
  /// A gate's weight is packed in another order.
  struct Key {
    const CudaLinear* weight = nullptr;
    bool gated = false;
    friend bool operator==(const Key& a, const Key& b) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.weight) * 2 + (key.gated ? 1 : 0);
    }
  };
  struct Packed {
    DeviceMemory image;
    DeviceMemory layer_norm;           ///< FoldLayerNorm's two rows, once a layer norm goes ahead.
    std::optional<NormParams> folded;  ///< The norm that they are of.
  };

  /// Null: there is no memory for it.
  absl::StatusOr<Packed*> Pack(const kernels::Launch& launch, const CudaLinear& weight, bool gated);
  absl::StatusOr<Packed> NewPacked(const kernels::Launch& launch, const CudaLinear& weight,
                                   bool gated);
  /// False: the weight goes with another norm already, or there is no memory.
  absl::StatusOr<bool> Fold(const kernels::Launch& launch, const CudaLinear& weight, Packed& packed,
                            kernels::SmallProductEpilogue& epilogue);
  absl::Status FoldNew(const kernels::Launch& launch, const CudaLinear& weight, Packed& packed,
                       const NormParams& norm);
  /// Whether want of memory is what failed: nothing more is packed from now on.
  bool EndsPacking(const absl::Status& status);

  bool enabled_ = false;
  bool packs_ = true;
  DeviceMemory row_sums_;
  std::unordered_map<Key, Packed, KeyHash> packed_;
  int64_t memory_bytes_ = 0;
};

}  // namespace rose::cuda
