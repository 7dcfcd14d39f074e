#pragma once

#include <cstdint>
#include <vector>

namespace text {

/// What Unigram works in.
struct UnigramScratch {
  /// The best way to a place of the word: the score of its pieces, and the last one of them.
  struct alignas(16) Node {
    double score = 0;
    int32_t id = 0;
    uint32_t begin = 0;  ///< where that piece begins
  };
  /// One for each place between two bytes, from the last place that every way goes through. Holds
  /// some hundreds unless a word never has such a place.
  std::vector<Node> nodes;
};

}  // namespace text
