#include "text/truncation.h"

#include <fmt/format.h>

#include <algorithm>

namespace text {
namespace {

PairLengths LongestFirst(const PairLengths& lengths, std::size_t total) {
  const bool second_is_shorter = lengths.second < lengths.first;
  const std::size_t shorter = std::min({lengths.first, lengths.second, total / 2});
  const std::size_t longer = total - shorter;
  return second_is_shorter ? PairLengths{longer, shorter} : PairLengths{shorter, longer};
}

absl::Status NothingLeft(const char* which, std::size_t total) {
  return absl::InvalidArgumentError(fmt::format(
      "truncating only the {} text of the pair cannot bring it down to {} tokens", which, total));
}

}  // namespace

absl::StatusOr<PairLengths> Truncate(const PairLengths& lengths, std::size_t total,
                                     TruncationStrategy strategy) {
  if (lengths.first + lengths.second <= total) return lengths;
  if (total == 0) return PairLengths{};
  switch (strategy) {
    case TruncationStrategy::kLongestFirst:
      break;
    case TruncationStrategy::kOnlyFirst:
      if (lengths.second >= total) return NothingLeft("first", total);
      return PairLengths{total - lengths.second, lengths.second};
    case TruncationStrategy::kOnlySecond:
      if (lengths.first >= total) return NothingLeft("second", total);
      return PairLengths{lengths.first, total - lengths.first};
  }
  return LongestFirst(lengths, total);
}

}  // namespace text
