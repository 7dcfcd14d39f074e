#include "ivy/job/answer.h"

#include <utility>

namespace ivy {
namespace {

std::span<const float> RowOf(const wire::Matrix& matrix, std::size_t row) {
  const auto columns = static_cast<std::size_t>(matrix.columns);
  return std::span(matrix.values).subspan(row * columns, columns);
}

Answer::Vectors RowsOf(const wire::TokenMatrix& matrix, std::size_t row) {
  if (matrix.columns == 0) return {};
  const auto columns = static_cast<std::size_t>(matrix.columns);
  const auto begin = static_cast<std::size_t>(matrix.offsets[row]);
  const auto end = static_cast<std::size_t>(matrix.offsets[row + 1]);
  return {.columns = columns,
          .values = std::span(matrix.values).subspan(begin * columns, (end - begin) * columns)};
}

}  // namespace

void Answer::Store(std::size_t chunk, std::span<const int32_t> inputs,
                   wire::InferenceResult result) {
  for (std::size_t row = 0; row < inputs.size(); ++row) {
    places_[static_cast<std::size_t>(inputs[row])] = {.chunk = static_cast<uint32_t>(chunk),
                                                      .row = static_cast<uint32_t>(row)};
  }
  chunks_[chunk] = std::move(result);
}

std::span<const float> Answer::Dense(std::size_t input) const {
  return RowOf(chunks_[places_[input].chunk].dense, places_[input].row);
}

std::span<const float> Answer::Scores(std::size_t input) const {
  return RowOf(chunks_[places_[input].chunk].scores, places_[input].row);
}

Answer::SparseVector Answer::Sparse(std::size_t input) const {
  const wire::SparseMatrix& sparse = chunks_[places_[input].chunk].sparse;
  if (sparse.offsets.size() == 1) return {};
  const std::size_t row = places_[input].row;
  const auto begin = static_cast<std::size_t>(sparse.offsets[row]);
  const std::size_t count = static_cast<std::size_t>(sparse.offsets[row + 1]) - begin;
  return {.ids = std::span(sparse.ids).subspan(begin, count),
          .weights = std::span(sparse.weights).subspan(begin, count)};
}

Answer::Vectors Answer::Tokens(std::size_t input) const {
  return RowsOf(chunks_[places_[input].chunk].tokens, places_[input].row);
}

Answer::Vectors Answer::Colbert(std::size_t input) const {
  return RowsOf(chunks_[places_[input].chunk].colbert, places_[input].row);
}

std::size_t Answer::size() const {
  std::size_t numbers = 0;
  for (const wire::InferenceResult& chunk : chunks_) {
    numbers += chunk.dense.values.size() + chunk.scores.values.size() +
               2 * chunk.sparse.ids.size() + chunk.tokens.values.size() +
               chunk.colbert.values.size();
  }
  return numbers;
}

}  // namespace ivy
