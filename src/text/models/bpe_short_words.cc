#include "text/models/bpe_short_words.h"

#include <algorithm>
#include <bit>

namespace text {
namespace {

constexpr uint32_t kNone = BpePairs::kNone;

// A key is what a piece and its next merge to, above the place. 64 bits keep the search for the
// least one scalar: a vector would have to wait until the stores of the last merge have arrived.
constexpr int kPlaceBits = 6;
constexpr std::size_t kPiecesMax = 64;  // Their search costs the square, and a bit stands for each.
constexpr uint64_t kNever = ~uint64_t{0};

uint64_t KeyOf(uint32_t merged, std::size_t at) {
  return merged == kNone ? kNever : uint64_t{merged} << kPlaceBits | at;
}

/// Merges pieces[0 … count), of which keys tell how neighbours merge, the lowest first and of equal
/// ones the leftmost. A piece that was merged into the one before it stays behind. Returns a bit
/// for each that is left.
uint64_t MergeAll(uint32_t* pieces, uint64_t* keys, std::size_t count, const BpePairs& pairs) {
  uint64_t left_over = ~uint64_t{0} >> (kPiecesMax - count);
  while (true) {
    uint64_t least = keys[0];
    for (std::size_t i = 1; i < count; ++i) least = std::min(least, keys[i]);
    if (least == kNever) return left_over;
    const auto merged = static_cast<uint32_t>(least >> kPlaceBits);
    const std::size_t at = least & ((1 << kPlaceBits) - 1);
    const uint64_t before = left_over & ((uint64_t{1} << at) - 1);
    uint64_t behind = left_over & (~uint64_t{1} << at);
    keys[std::countr_zero(behind)] = kNever;
    left_over ^= behind & -behind;
    behind &= behind - 1;
    pieces[at] = merged;
    keys[at] =
        behind == 0 ? kNever : KeyOf(pairs.Find(merged, pieces[std::countr_zero(behind)]), at);
    if (before != 0) {
      const auto previous = static_cast<std::size_t>(63 - std::countl_zero(before));
      keys[previous] = KeyOf(pairs.Find(pieces[previous], merged), previous);
    }
  }
}

}  // namespace

BpeShortWords::BpeShortWords(const BpeWalk& walk, std::span<const std::string> bytes)
    : byte_pairs_(std::size_t{1} << 16, {kNoPiece, false, false, false}) {
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const auto character = static_cast<char>(byte);
    bytes_[byte] = walk.Find({&character, 1});
  }
  const auto bytes_of = [&](uint32_t piece) -> std::string_view {
    return bytes[static_cast<std::size_t>(walk.IdOf(piece))];
  };
  const auto pair_at = [&](char x, char y) -> BytePair& {
    return byte_pairs_[static_cast<std::size_t>(static_cast<unsigned char>(x)) << 8 |
                       static_cast<unsigned char>(y)];
  };
  walk.ForEachMerge([&](uint32_t left, uint32_t right, uint32_t merged) {
    const std::string_view x = bytes_of(left), y = bytes_of(right);
    if (x.size() == 1 && y.size() == 1) pair_at(x[0], y[0]).piece = merged & kNoPiece;
  });
  walk.ForEachMerge([&](uint32_t left, uint32_t right, uint32_t merged) {
    const std::string_view x = bytes_of(left), y = bytes_of(right);
    BytePair& between = pair_at(x.back(), y.front());
    if (y.size() == 1 && merged < between.piece) between.by_left = true;
    if (x.size() == 1 && merged < between.piece) between.by_right = true;
    if (x.size() == 2 && merged < left) pair_at(x[0], x[1]).late = true;
    if (y.size() == 2 && merged < right) pair_at(y[0], y[1]).late = true;
  });
}

/// Whether `pair` is merged for sure between `left` and `right`, which share a byte with it.
inline bool BpeShortWords::IsSure(BytePair left, BytePair pair, BytePair right) {
  return pair.piece < left.piece && pair.piece <= right.piece && !left.by_left && !right.by_right &&
         !pair.late && pair.piece != kNoPiece;
}

std::optional<std::size_t> BpeShortWords::Encode(std::string_view word, const BpePairs& pairs,
                                                 uint32_t* out) const {
  constexpr BytePair kEdge = {kNoPiece, false, false, false};
  uint32_t singles[kBytesMax];
  BytePair between[kBytesMax + 2];  // [i]: of bytes i - 1 and i.
  between[0] = kEdge;
  uint32_t largest = 0;
  std::size_t previous = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    singles[i] = bytes_[byte];
    largest = std::max(largest, singles[i]);
    if (i > 0) between[i] = byte_pairs_[previous << 8 | byte];
    previous = byte;
  }
  if (largest == kNone) return std::nullopt;
  if (word.empty()) return 0;
  between[word.size()] = between[word.size() + 1] = kEdge;

  uint64_t keys[kPiecesMax];
  uint64_t merged = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < word.size(); ++count) {
    if (count == kPiecesMax) return std::nullopt;
    const BytePair pair = between[i + 1];
    const bool sure = IsSure(between[i], pair, between[i + 2]);
    out[count] = sure ? pair.piece : singles[i];
    keys[count] = pair.piece == kNoPiece ? kNever : KeyOf(pair.piece, count);
    merged |= uint64_t{sure} << count;
    i += sure ? 2 : 1;
  }
  keys[count - 1] = kNever;
  for (uint64_t left = (merged | merged >> 1) & ~(uint64_t{1} << (count - 1)); left != 0;
       left &= left - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(left));
    keys[at] = KeyOf(pairs.Find(out[at], out[at + 1]), at);
  }
  uint64_t left_over = MergeAll(out, keys, count, pairs);
  for (count = 0; left_over != 0; left_over &= left_over - 1) {
    out[count++] = out[std::countr_zero(left_over)];
  }
  return count;
}

}  // namespace text
