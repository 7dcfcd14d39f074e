#pragma once

#include <cstddef>

#include "common/status.h"

namespace text {

enum class TruncationSide { kRight, kLeft };

/// What a pair of texts gives up when it is too long.
enum class TruncationStrategy {
  kLongestFirst,  ///< tokens of the longer text until both are equally long, then of both
  kOnlyFirst,
  kOnlySecond,
};

/// Tokens of the two texts of a pair.
struct PairLengths {
  std::size_t first = 0, second = 0;

  bool operator==(const PairLengths&) const = default;
};

/// How many tokens of each text are kept so that both have `total` at most. On a tie of
/// kLongestFirst the odd token is the longer text's, or the second's if they are equally long.
/// InvalidArgument: the text that the strategy names has no token left to give.
absl::StatusOr<PairLengths> Truncate(const PairLengths& lengths, std::size_t total,
                                     TruncationStrategy strategy);

}  // namespace text
