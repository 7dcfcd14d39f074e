#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/status.h"
#include "hub/model_folder.h"

namespace bench {

/// x[rows × k] W[k × n], for however many layers.
struct Product {
  int64_t k = 0;
  int64_t n = 0;
  int64_t count = 0;  ///< How often a pass computes it.
};

/// What a pass of a model computes; a multiplication and an addition are two FLOPs. Counted on the
/// operations that the model calls, not from its config.
struct Work {
  int64_t parameters = 0;      ///< Read from the weights and kept.
  double linear_flops = 0;     ///< 2 · rows · k · n of each Linear.
  double attention_flops = 0;  ///< 4 · heads · head_dim · pairs of a query and a key that it sees.
  std::vector<Product> products;

  double flops() const { return linear_flops + attention_flops; }
};

/// Counts the work of one model's passes.
class WorkCounter {
 public:
  /// Weights are made up and dropped one by one.
  static absl::StatusOr<std::unique_ptr<WorkCounter>> Create(const hub::ModelFolder& folder);
  virtual ~WorkCounter() = default;
  /// Of one pass over packed sequences, as rose::BatchShape has them, that gives dense vectors.
  virtual Work Count(std::span<const int32_t> cu_seqlens) const = 0;
};

}  // namespace bench
