#include "tulip/step.h"

#include <fmt/format.h>

#include <exception>

namespace tulip {
namespace {

/// What an engine throws comes from the libraries under it and from memory running out.
absl::Status ForwardFailed(const std::exception& error) {
  return absl::InternalError(fmt::format("forward failed: {}", error.what()));
}

}  // namespace

void Step::Launch(rose::Engine& engine, BatchBuffer& buffer, common::TimePoint now) {
  launched_ = now;
  if (plan.slices.empty()) return;
  try {
    rows_ = engine.Step(buffer.Pack(plan));
  } catch (const std::exception& error) {
    failure_ = ForwardFailed(error);
  }
}

absl::StatusOr<std::span<const float>> Step::Wait(int64_t dimension) {
  if (!failure_.ok()) return failure_;
  if (rows_ == nullptr) return absl::InternalError("forward failed: the engine gave no rows");
  try {
    const rose::LazyTensor::Rows rows = rows_->Wait();
    if (rows.rows == plan.sequences && rows.columns == dimension &&
        static_cast<int64_t>(rows.values.size()) == rows.rows * rows.columns) {
      return rows.values;
    }
    return absl::InternalError(fmt::format("forward failed: {} × {} values, expected {} × {}",
                                           rows.rows, rows.columns, plan.sequences, dimension));
  } catch (const std::exception& error) {
    return ForwardFailed(error);
  }
}

void Step::Clear() {
  rows_.reset();
  failure_ = absl::OkStatus();
  plan.Clear();
}

}  // namespace tulip
