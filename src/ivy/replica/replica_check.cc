#include "ivy/replica/replica_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

namespace ivy {
namespace {

template <typename T>
absl::Status Differs(std::string_view field, const T& expected, const T& told) {
  return absl::FailedPreconditionError(
      fmt::format("its {} is {}, expected {}", field, told, expected));
}

/// `Value()`: not known.
template <typename Value>
absl::Status Compare(std::string_view field, const Value& expected, const Value& told) {
  if (expected == Value() || expected == told) return absl::OkStatus();
  return Differs(field, expected, told);
}

absl::Status CheckRows(std::string_view output, std::size_t sequences, int32_t columns,
                       const wire::Matrix& rows) {
  if (rows.columns == columns &&
      rows.values.size() == sequences * static_cast<std::size_t>(columns)) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(
      fmt::format("expected {} rows of {} numbers as {} output, got {} numbers, {} to a row",
                  sequences, columns, output, rows.values.size(), rows.columns));
}

}  // namespace

absl::Status CheckReplica(const wire::ModelInfo& expected, const wire::ModelInfo& told) {
  RETURN_IF_ERROR(Compare("fingerprint", expected.fingerprint, told.fingerprint));
  if (!told.outputs.HasAll(expected.outputs)) {
    return Differs("set of outputs",
                   fmt::format("{}", fmt::join(hub::OutputNames(expected.outputs), ", ")),
                   fmt::format("{}", fmt::join(hub::OutputNames(told.outputs), ", ")));
  }
  RETURN_IF_ERROR(Compare("pooling", expected.pooling, told.pooling));
  RETURN_IF_ERROR(Compare("dimension", expected.dimension, told.dimension));
  RETURN_IF_ERROR(Compare("number of labels", expected.labels, told.labels));
  RETURN_IF_ERROR(Compare("hidden size", expected.hidden_size, told.hidden_size));
  RETURN_IF_ERROR(Compare("ColBERT dimension", expected.colbert_dimension, told.colbert_dimension));
  if (told.max_length < expected.max_length) {
    return Differs("longest input", expected.max_length, told.max_length);
  }
  return Compare("vocabulary size", expected.vocabulary_size, told.vocabulary_size);
}

absl::Status CheckAnswer(const wire::InferenceRequest& request, const wire::ModelInfo& info,
                         const wire::InferenceResult& result) {
  const std::size_t sequences = request.lengths.size();
  if (static_cast<std::size_t>(result.sequences) != sequences) {
    return absl::UnavailableError(
        fmt::format("expected {} sequences, got {}", sequences, result.sequences));
  }
  if (request.outputs.Has(hub::Output::kDense)) {
    RETURN_IF_ERROR(CheckRows("dense", sequences, info.dimension, result.dense));
  }
  if (request.outputs.Has(hub::Output::kScores)) {
    RETURN_IF_ERROR(CheckRows("scores", sequences, info.labels, result.scores));
  }
  return absl::OkStatus();
}

}  // namespace ivy
