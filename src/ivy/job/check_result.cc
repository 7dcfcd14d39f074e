#include "ivy/job/check_result.h"

#include <fmt/format.h>

#include "common/finite.h"
#include "ivy/http/cause.h"

namespace ivy {
namespace {

using hub::Output;

absl::Status WrongShape(Output output, std::string_view expected, std::string_view got) {
  return absl::InternalError(
      fmt::format("{} output: expected {}, got {}", hub::OutputName(output), expected, got));
}

/// Offsets of `rows` rows that go up from 0 to `total`.
absl::Status CheckOffsets(Output output, const std::vector<int64_t>& offsets, std::size_t rows,
                          std::size_t total) {
  bool right = offsets.size() == rows + 1 && offsets.front() == 0 &&
               offsets.back() == static_cast<int64_t>(total);
  for (std::size_t i = 1; right && i < offsets.size(); ++i) right = offsets[i - 1] <= offsets[i];
  if (right) return absl::OkStatus();
  return WrongShape(output, fmt::format("{} rows of {} numbers in all", rows, total),
                    fmt::format("{} offsets that do not part them", offsets.size()));
}

class Check {
 public:
  Check(const Job& job, std::span<const int32_t> inputs) : job_(job), inputs_(inputs) {}

  absl::Status Rows(Output output, const wire::Matrix& matrix, int columns) const {
    const auto width = static_cast<std::size_t>(columns);
    if (matrix.columns != columns || matrix.values.size() != inputs_.size() * width) {
      return WrongShape(
          output, fmt::format("{} rows of {} numbers", inputs_.size(), columns),
          fmt::format("{} numbers, {} to a row", matrix.values.size(), matrix.columns));
    }
    for (std::size_t row = 0; row < inputs_.size(); ++row) {
      RETURN_IF_ERROR(Finite(output, row, std::span(matrix.values).subspan(row * width, width)));
    }
    return absl::OkStatus();
  }

  absl::Status Rows(Output output, const wire::TokenMatrix& matrix, int columns) const {
    const auto width = static_cast<std::size_t>(columns);
    if (matrix.columns != columns || width == 0 || matrix.values.size() % width != 0) {
      return WrongShape(
          output, fmt::format("rows of {} numbers", columns),
          fmt::format("{} numbers, {} to a row", matrix.values.size(), matrix.columns));
    }
    RETURN_IF_ERROR(
        CheckOffsets(output, matrix.offsets, inputs_.size(), matrix.values.size() / width));
    for (std::size_t row = 0; row < inputs_.size(); ++row) {
      const auto begin = static_cast<std::size_t>(matrix.offsets[row]) * width;
      const auto end = static_cast<std::size_t>(matrix.offsets[row + 1]) * width;
      RETURN_IF_ERROR(Finite(output, row, std::span(matrix.values).subspan(begin, end - begin)));
    }
    return absl::OkStatus();
  }

  absl::Status Rows(const wire::SparseMatrix& matrix) const {
    RETURN_IF_ERROR(
        CheckOffsets(Output::kSparse, matrix.offsets, inputs_.size(), matrix.ids.size()));
    if (matrix.weights.size() != matrix.ids.size()) {
      return WrongShape(Output::kSparse, fmt::format("{} weights", matrix.ids.size()),
                        fmt::format("{}", matrix.weights.size()));
    }
    for (std::size_t row = 0; row < inputs_.size(); ++row) {
      const auto begin = static_cast<std::size_t>(matrix.offsets[row]);
      const auto end = static_cast<std::size_t>(matrix.offsets[row + 1]);
      RETURN_IF_ERROR(
          Finite(Output::kSparse, row, std::span(matrix.weights).subspan(begin, end - begin)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Finite(Output output, std::size_t row, std::span<const float> values) const {
    if (common::FindNonFinite(values) == nullptr) return absl::OkStatus();
    return Failure(Cause::kBackend, job_.PathOf(static_cast<std::size_t>(inputs_[row])),
                   fmt::format("its {} output has a non-finite value", hub::OutputName(output)));
  }

  const Job& job_;
  const std::span<const int32_t> inputs_;
};

}  // namespace

absl::Status CheckResult(const Job& job, std::span<const int32_t> inputs,
                         const wire::InferenceResult& result) {
  if (result.sequences != static_cast<int32_t>(inputs.size())) {
    return absl::InternalError(
        fmt::format("expected {} sequences, got {}", inputs.size(), result.sequences));
  }
  const wire::ModelInfo& info = job.model->info();
  const Check check(job, inputs);
  if (job.outputs.Has(Output::kDense)) {
    RETURN_IF_ERROR(check.Rows(Output::kDense, result.dense, info.dimension));
  }
  if (job.outputs.Has(Output::kScores)) {
    RETURN_IF_ERROR(check.Rows(Output::kScores, result.scores, info.labels));
  }
  if (job.outputs.Has(Output::kSparse)) RETURN_IF_ERROR(check.Rows(result.sparse));
  if (job.outputs.Has(Output::kTokens)) {
    RETURN_IF_ERROR(check.Rows(Output::kTokens, result.tokens, info.hidden_size));
  }
  if (job.outputs.Has(Output::kColbert)) {
    RETURN_IF_ERROR(check.Rows(Output::kColbert, result.colbert, info.colbert_dimension));
  }
  return absl::OkStatus();
}

}  // namespace ivy
