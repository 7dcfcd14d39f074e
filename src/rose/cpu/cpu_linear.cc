#include "rose/cpu/cpu_linear.h"

#include <algorithm>

#include "common/check.h"

namespace rose::cpu {
namespace {

/// Several tasks a thread, so that one that lost its processor for a while is waited for briefly.
/// Six, since two threads then share the panels of most layers evenly: hidden sizes are multiples
/// of 384, 12 panels.
constexpr int64_t kTasksPerThread = 6;
/// Multiplications below which handing a task over costs more than doing it (some µs).
constexpr int64_t kTaskMultiplications = 100'000;

}  // namespace

CpuLinear::CpuLinear(DType type, const RowSource& weight, std::span<const float> bias) {
  dtype = type;
  out_features = weight.rows();
  in_features = weight.cols();
  CHECK(bias.empty() || static_cast<int64_t>(bias.size()) == out_features);
}

LinearSplit SplitLinear(int width, int64_t rows, int64_t row_unit, int64_t column_units,
                        int64_t multiplications) {
  if (width == 1) return {};
  const int64_t tasks =
      std::clamp<int64_t>(multiplications / kTaskMultiplications, 1, kTasksPerThread * width);
  LinearSplit split{.column_parts = std::min(tasks, column_units)};
  split.row_blocks =
      std::clamp<int64_t>(tasks / split.column_parts, 1, std::max<int64_t>(rows / row_unit, 1));
  return split;
}

}  // namespace rose::cpu
