#include "tulip/step.h"

#include <fmt/format.h>

#include <exception>
#include <new>

namespace tulip {
namespace {

/// What an engine throws comes from the libraries under it and from memory running out.
absl::Status ForwardFailed(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return absl::ResourceExhaustedError("forward failed: out of memory");
  }
  return absl::InternalError(fmt::format("forward failed: {}", error.what()));
}

}  // namespace

void Step::Launch(rose::Engine& engine, BatchBuffer& buffer, common::TimePoint now) {
  launched_ = now;
  if (plan.slices.empty()) return;
  try {
    const rose::Batch batch = buffer.Pack(plan);
    outputs_ = batch.outputs;
    rows_ = engine.Step(batch);
  } catch (const std::exception& error) {
    failure_ = ForwardFailed(error);
  }
}

absl::StatusOr<hub::PerOutput<rose::OutputRows>> Step::Wait(
    const hub::PerOutput<rose::OutputShape>& shapes) {
  if (!failure_.ok()) return failure_;
  if (rows_ == nullptr) return absl::InternalError("forward failed: the engine gave no rows");
  try {
    hub::PerOutput<rose::OutputRows> rows = rows_->Wait();
    for (const hub::Output output : hub::kAllOutputs) {
      if (!outputs_.Has(output)) continue;
      const int64_t columns = shapes[output].columns;
      const int64_t count = shapes[output].rows(plan.sequences, plan.tokens);
      const auto& got = rows[output];
      if (got.rows == count && got.columns == columns &&
          static_cast<int64_t>(got.values.size()) == count * columns) {
        continue;
      }
      return absl::InternalError(fmt::format("forward failed: {} × {} {} values, expected {} × {}",
                                             got.rows, got.columns, hub::OutputName(output), count,
                                             columns));
    }
    return rows;
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
