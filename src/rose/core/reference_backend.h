#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "rose/core/backend.h"

namespace rose {

struct ReferenceLinear final : LinearWeight {
  std::vector<float> transposed;  ///< [in_features × out_features], rounded to the dtype.
  std::vector<float> bias;        ///< [out_features]; zeros where there is none.
};

/// Weights in host memory without any layout: what ReferenceOps reads. For tests only.
class ReferenceBackend final : public Backend {
 public:
  explicit ReferenceBackend(DType dtype) : dtype_(dtype) {}

  DType dtype() const override { return dtype_; }
  Tensor MakeTable(std::span<const float> values, int64_t rows, int64_t cols) override;
  Tensor MakeVector(std::span<const float> values) override;
  const LinearWeight* MakeLinear(std::span<const float> weight, std::span<const float> bias,
                                 int64_t out_features, int64_t in_features) override;
  int64_t memory_bytes() const override { return memory_bytes_; }

 private:
  Tensor Store(std::span<const float> values, int64_t rows, int64_t cols, DType dtype);

  DType dtype_;
  int64_t memory_bytes_ = 0;
  std::deque<std::vector<std::byte>> blocks_;
  std::vector<std::unique_ptr<ReferenceLinear>> linears_;
};

}  // namespace rose
