#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/status.h"
#include "wire/inference.h"

namespace ivy {

/// What a model gave for the inputs of a job, by input. Results of chunks are held as they came in
/// and looked up, so that nothing is copied to join them. An output that was not asked for is
/// empty.
class Answer {
 public:
  /// Rows of several vectors.
  struct Vectors {
    std::size_t columns = 0;
    std::span<const float> values;  ///< [rows × columns], row-major.

    std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
    std::span<const float> row(std::size_t index) const {
      return values.subspan(index * columns, columns);
    }
  };
  struct SparseVector {
    std::span<const int32_t> ids;
    std::span<const float> weights;
  };

  Answer() = default;
  Answer(std::size_t inputs, std::size_t chunks) : places_(inputs), chunks_(chunks) {}

  /// Chunk `chunk` holds these inputs, in the order of its rows. Threads may store different chunks
  /// at once.
  void Store(std::size_t chunk, std::span<const int32_t> inputs, wire::InferenceResult result);

  std::size_t inputs() const { return places_.size(); }
  std::span<const float> Dense(std::size_t input) const;
  std::span<const float> Scores(std::size_t input) const;  ///< Logits.
  SparseVector Sparse(std::size_t input) const;
  Vectors Tokens(std::size_t input) const;
  Vectors Colbert(std::size_t input) const;
  /// Numbers in all of it: what rendering costs.
  std::size_t size() const;

  int64_t tokens = 0;      ///< That were run, special tokens included.
  int64_t characters = 0;  ///< Of the input texts.
  int64_t tokenize_us = 0;
  int64_t queue_us = 0;    ///< The longest of its chunks.
  int64_t compute_us = 0;  ///< Summed over its chunks.

 private:
  struct Place {
    uint32_t chunk = 0, row = 0;
  };

  std::vector<Place> places_;
  std::vector<wire::InferenceResult> chunks_;
};

using AnswerDone = std::function<void(absl::StatusOr<Answer>)>;

}  // namespace ivy
