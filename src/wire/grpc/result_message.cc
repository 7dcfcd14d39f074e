#include "wire/grpc/result_message.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "common/finite.h"
#include "proto/tulip/v1/tulip.pb.h"
#include "wire/grpc/enums.h"

namespace wire {
namespace {

std::string FieldOf(std::string_view output, std::string_view field) {
  return fmt::format("{}.{}", output, field);
}

/// Values that are all finite.
absl::StatusOr<std::vector<float>> UnpackValues(std::string_view bytes, ValueType type,
                                                const std::string& field) {
  ASSIGN_OR_RETURN(std::vector<float> values, UnpackFloats(bytes, type, field));
  const float* const wrong = common::FindNonFinite(values);
  if (wrong == nullptr) return values;
  return absl::InvalidArgumentError(
      fmt::format("{}: number {} is {}", field, wrong - values.data(), *wrong));
}

void Fill(const Matrix& matrix, ValueType type, tulip::v1::Matrix& message) {
  message.set_columns(static_cast<uint32_t>(matrix.columns));
  message.set_values(PackFloats(matrix.values, type));
}

std::string PackCounts(const std::vector<int64_t>& offsets) {
  std::vector<int32_t> counts(offsets.size() - 1);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = static_cast<int32_t>(offsets[i + 1] - offsets[i]);
  }
  return PackInts(counts);
}

void Fill(const TokenMatrix& matrix, ValueType type, tulip::v1::TokenMatrix& message) {
  message.set_columns(static_cast<uint32_t>(matrix.columns));
  message.set_rows(PackCounts(matrix.offsets));
  message.set_values(PackFloats(matrix.values, type));
}

void Fill(const SparseMatrix& matrix, tulip::v1::SparseMatrix& message) {
  message.set_entries(PackCounts(matrix.offsets));
  message.set_ids(PackInts(matrix.ids));
  message.set_weights(PackFloats(matrix.weights, ValueType::kFloat32));
}

/// Reads the outputs of one message.
class Reader {
 public:
  Reader(int32_t sequences, ValueType type) : sequences_(sequences), type_(type) {}

  absl::Status Read(const tulip::v1::Matrix& message, ValueType type, std::string_view output,
                    Matrix& matrix) const {
    ASSIGN_OR_RETURN(matrix.columns, Columns(message.columns(), output));
    ASSIGN_OR_RETURN(matrix.values, Values(message.values(), type, output));
    return CheckRows(sequences_, matrix.columns, matrix.values.size(), output);
  }

  absl::Status Read(const tulip::v1::TokenMatrix& message, std::string_view output,
                    TokenMatrix& matrix) const {
    ASSIGN_OR_RETURN(matrix.columns, Columns(message.columns(), output));
    ASSIGN_OR_RETURN(matrix.offsets, Offsets(message.rows(), FieldOf(output, "rows")));
    ASSIGN_OR_RETURN(matrix.values, Values(message.values(), type_, output));
    return CheckRows(matrix.offsets.back(), matrix.columns, matrix.values.size(), output);
  }

  absl::Status Read(const tulip::v1::SparseMatrix& message, SparseMatrix& matrix) const {
    ASSIGN_OR_RETURN(matrix.offsets, Offsets(message.entries(), "sparse.entries"));
    ASSIGN_OR_RETURN(matrix.ids, UnpackInts(message.ids(), "sparse.ids"));
    ASSIGN_OR_RETURN(matrix.weights,
                     UnpackValues(message.weights(), ValueType::kFloat32, "sparse.weights"));
    if (matrix.offsets.back() != std::ssize(matrix.ids)) {
      return absl::InvalidArgumentError(
          fmt::format("sparse.entries: their sum is {}, but there are {} ids",
                      matrix.offsets.back(), matrix.ids.size()));
    }
    if (matrix.weights.size() != matrix.ids.size()) {
      return absl::InvalidArgumentError(
          fmt::format("sparse.weights: {} entries, expected {}, one for each id",
                      matrix.weights.size(), matrix.ids.size()));
    }
    return absl::OkStatus();
  }

 private:
  static absl::StatusOr<int32_t> Columns(uint32_t columns, std::string_view output) {
    if (columns >= 1 && columns <= std::numeric_limits<int32_t>::max()) {
      return static_cast<int32_t>(columns);
    }
    return absl::InvalidArgumentError(
        fmt::format("{}: {}, expected 1 to 2^31 - 1", FieldOf(output, "columns"), columns));
  }

  static absl::StatusOr<std::vector<float>> Values(std::string_view bytes, ValueType type,
                                                   std::string_view output) {
    return UnpackValues(bytes, type, FieldOf(output, "values"));
  }

  /// From a count for each sequence.
  absl::StatusOr<std::vector<int64_t>> Offsets(std::string_view bytes,
                                               const std::string& field) const {
    ASSIGN_OR_RETURN(const std::vector<int32_t> counts, UnpackInts(bytes, field));
    if (std::ssize(counts) != sequences_) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {} entries, expected {}, one for each sequence", field, counts.size(), sequences_));
    }
    std::vector<int64_t> offsets = {0};
    offsets.reserve(counts.size() + 1);
    for (const int32_t count : counts) {
      if (count < 0) {
        return absl::InvalidArgumentError(fmt::format("{}: {} is below 0", field, count));
      }
      offsets.push_back(offsets.back() + count);
    }
    return offsets;
  }

  /// Divides, since the product of what a message claims might not fit.
  static absl::Status CheckRows(int64_t rows, int32_t columns, std::size_t values,
                                std::string_view output) {
    const auto count = static_cast<int64_t>(values);
    if (count % columns == 0 && count / columns == rows) return absl::OkStatus();
    return absl::InvalidArgumentError(fmt::format("{}: {} numbers, expected {} rows of {}",
                                                  FieldOf(output, "values"), count, rows, columns));
  }

  const int32_t sequences_;
  const ValueType type_;
};

}  // namespace

void FillResult(const InferenceResult& result, ValueType value_type,
                tulip::v1::InferResponse& message) {
  message.set_sequences(static_cast<uint32_t>(result.sequences));
  message.set_value_type(static_cast<tulip::v1::ValueType>(NumberOf(value_type)));
  if (result.dense.columns > 0) Fill(result.dense, value_type, *message.mutable_dense());
  if (result.scores.columns > 0) {
    Fill(result.scores, ValueType::kFloat32, *message.mutable_scores());
  }
  // Without the output no sequence has an offset; with it, each has one even where it has no entry.
  if (result.sparse.offsets.size() > 1) Fill(result.sparse, *message.mutable_sparse());
  if (result.tokens.columns > 0) Fill(result.tokens, value_type, *message.mutable_tokens());
  if (result.colbert.columns > 0) Fill(result.colbert, value_type, *message.mutable_colbert());
  message.mutable_timing()->set_queue_us(result.timing.queue_us);
  message.mutable_timing()->set_compute_us(result.timing.compute_us);
  message.mutable_timing()->set_batch_tokens(result.timing.batch_tokens);
  message.set_load_tokens(result.load_tokens);
}

absl::StatusOr<InferenceResult> ReadResult(const tulip::v1::InferResponse& message) {
  if (message.sequences() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(
        fmt::format("sequences: {}, expected at most 2^31 - 1", message.sequences()));
  }
  InferenceResult result;
  result.sequences = static_cast<int32_t>(message.sequences());
  ASSIGN_OR_RETURN(const ValueType type, ReadValueType(message.value_type(), "value_type"));
  const Reader reader(result.sequences, type);
  if (message.has_dense()) {
    RETURN_IF_ERROR(reader.Read(message.dense(), type, "dense", result.dense));
  }
  if (message.has_scores()) {
    RETURN_IF_ERROR(reader.Read(message.scores(), ValueType::kFloat32, "scores", result.scores));
  }
  if (message.has_sparse()) RETURN_IF_ERROR(reader.Read(message.sparse(), result.sparse));
  if (message.has_tokens()) {
    RETURN_IF_ERROR(reader.Read(message.tokens(), "tokens", result.tokens));
  }
  if (message.has_colbert()) {
    RETURN_IF_ERROR(reader.Read(message.colbert(), "colbert", result.colbert));
  }
  result.timing = {.queue_us = message.timing().queue_us(),
                   .compute_us = message.timing().compute_us(),
                   .batch_tokens = message.timing().batch_tokens()};
  if (message.load_tokens() < 0) {
    return absl::InvalidArgumentError(
        fmt::format("load_tokens: {}, expected at least 0", message.load_tokens()));
  }
  result.load_tokens = message.load_tokens();
  return result;
}

}  // namespace wire
