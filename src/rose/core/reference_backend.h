#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "rose/core/backend.h"

namespace rose {

struct ReferenceLinear final : LinearWeight {
  std::vector<float> transposed;  ///< [in_features × out_features], rounded to `dtype`.
  std::vector<float> bias;        ///< [out_features]; zeros where there is none.
};

/// Weights in host memory without any layout: what ReferenceOps reads. For tests only.
class ReferenceBackend final : public Backend {
 public:
  explicit ReferenceBackend(DType dtype) : dtype_(dtype) {}

  using Backend::MakeLinear;
  using Backend::MakeTable;
  DType dtype() const override { return dtype_; }
  Tensor MakeTable(const RowSource& rows, DType dtype) override;
  const LinearWeight* MakeLinear(const RowSource& weight, std::span<const float> bias,
                                 DType dtype) override;
  int64_t memory_bytes() const override { return memory_bytes_; }

 private:
  DType dtype_;
  int64_t memory_bytes_ = 0;
  std::deque<std::vector<std::byte>> blocks_;
  std::vector<std::unique_ptr<ReferenceLinear>> linears_;
};

}  // namespace rose
