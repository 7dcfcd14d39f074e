#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hub/outputs.h"
#include "rose/core/batch.h"

namespace rose {

/// What a model that gives these is mostly asked for: the first of them.
inline hub::Output FirstOutput(hub::Outputs given) {
  return *std::find_if(hub::kAllOutputs.begin(), hub::kAllOutputs.end(),
                       [&](hub::Output output) { return given.Has(output); });
}

/// A step that is run for its time alone: packed sequences whose lengths repeat.
class SyntheticBatch {
 public:
  /// `tokens` in sequences of `lengths` in turn, the last one cut. Ids are below
  /// `vocabulary_size`: 1 for a step whose time does not depend on where embeddings lie.
  SyntheticBatch(int64_t tokens, std::span<const int64_t> lengths, int64_t vocabulary_size)
      : cu_seqlens_{0} {
    // A stride that is prime to any vocabulary size but its own multiples: rows all over the table.
    for (int64_t i = 0; i < tokens; ++i) {
      ids_.push_back(static_cast<int32_t>(i * 7919 % vocabulary_size));
    }
    for (std::size_t s = 0; cu_seqlens_.back() < tokens; ++s) {
      const int64_t end = cu_seqlens_.back() + lengths[s % lengths.size()];
      cu_seqlens_.push_back(static_cast<int32_t>(std::min(end, tokens)));
    }
    normalize_.assign(cu_seqlens_.size() - 1, 1);
  }
  /// One sequence.
  explicit SyntheticBatch(int64_t tokens) : SyntheticBatch(tokens, {&tokens, 1}, 1) {}

  Batch view(hub::Outputs outputs) const {
    return {.ids = ids_,
            .type_ids = {},
            .cu_seqlens = cu_seqlens_,
            .prompt_lengths = {},
            .normalize = normalize_,
            .outputs = outputs};
  }

 private:
  std::vector<int32_t> ids_;
  std::vector<int32_t> cu_seqlens_;
  std::vector<uint8_t> normalize_;
};

}  // namespace rose
