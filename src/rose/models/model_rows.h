#pragma once

// For tests: what a model gives on the reference operations.

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "rose/core/reference_ops.h"
#include "rose/models/model.h"
#include "rose/models/model_cases.h"

namespace rose {

/// All outputs of one pass.
class ModelRows {
 public:
  ModelRows(const Model& model, const PackedSequences& sequences, DType dtype) : model_(model) {
    const ModelInput input = sequences.input();
    ReferenceOps ops(dtype, model.ArenaBytes(dtype, input.shape.tokens));
    hub::PerOutput<Tensor> out;
    for (const hub::Output output : hub::kAllOutputs) {
      const OutputShape shape = model.shape(output);
      const int64_t rows = shape.per_token ? input.shape.tokens : input.shape.sequences();
      values_[output].resize(static_cast<std::size_t>(rows * shape.columns));
      out[output] = {.data = values_[output].data(), .rows = rows, .cols = shape.columns};
    }
    model.Run(ops, input, out);
    EXPECT_EQ(ops.ScratchMark(), 0);
    EXPECT_LE(ops.arena_peak_bytes(), model.ArenaBytes(dtype, input.shape.tokens));
  }
  std::span<const float> Row(hub::Output output, std::size_t row) const {
    const auto columns = static_cast<std::size_t>(model_.shape(output).columns);
    return std::span(values_[output]).subspan(row * columns, columns);
  }
  std::span<const float> All(hub::Output output) const { return values_[output]; }

 private:
  const Model& model_;
  hub::PerOutput<std::vector<float>> values_;
};

}  // namespace rose
