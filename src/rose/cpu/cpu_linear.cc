#include "rose/cpu/cpu_linear.h"

#include <algorithm>

#include "common/check.h"

namespace rose::cpu {
namespace {

/// Several tasks a thread, so that one that lost its processor for a while is waited for briefly.
constexpr int64_t kTasksPerThread = 4;
/// Multiplications below which handing a task over costs more than doing it (some µs).
constexpr int64_t kTaskMultiplications = 100'000;

}  // namespace

CpuLinear::CpuLinear(const LinearValues& values) {
  out_features = values.out_features;
  in_features = values.in_features;
  CHECK(static_cast<int64_t>(values.weight.size()) == out_features * in_features);
  CHECK(values.bias.empty() || static_cast<int64_t>(values.bias.size()) == out_features);
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
