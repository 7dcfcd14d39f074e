#pragma once

#include <cstdint>
#include <span>

#include "hub/outputs.h"

namespace rose {

/// One step's input: packed sequences, no padding. A view: the arrays belong to the caller and need
/// to live only until Step returns (the engine copies them into its own slot). Validated by the
/// caller: at least one sequence, each of 1…max_length tokens, ids within the vocabulary, the total
/// within the engine's step_tokens_max.
struct Batch {
  std::span<const int32_t> ids;                ///< [tokens]
  std::span<const int32_t> type_ids;           ///< [tokens], or empty: all 0.
  std::span<const int32_t> cu_seqlens;         ///< [sequences + 1], first 0, last = tokens.
  std::span<const int32_t> prompt_lengths;     ///< [sequences], or empty: all 0.
  std::span<const uint8_t> normalize;          ///< [sequences]: 1 = L2-normalise the dense row.
  hub::Outputs outputs = hub::Output::kDense;  ///< Of every sequence; the model has them.

  int64_t tokens() const { return static_cast<int64_t>(ids.size()); }
  int64_t sequences() const { return static_cast<int64_t>(cu_seqlens.size()) - 1; }
};

}  // namespace rose
