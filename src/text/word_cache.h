#pragma once

#include <xmmintrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace text {

/// Words seen before and their ids, in a fixed number of lines that all threads share. A line holds
/// one word; a word can lie in two lines, and a new one takes the place of one of them.
///
/// Threads: any number may look up and remember at once, without a lock. A line is guarded by its
/// version (a seqlock, Boehm 2012, "Can seqlocks get along with programming language memory
/// models?"): who reads while another writes finds nothing, and who would write a line that is
/// being written leaves it be.
template <std::size_t kLineBytes>
class WordCache {
  static constexpr std::size_t kPayload = kLineBytes / sizeof(uint64_t) - 1;

 public:
  /// A line's head tells the bytes of its word in 8 bits.
  static constexpr std::size_t kWordBytesMax = std::min<std::size_t>(kLineBytes - 16, 255);
  /// Most ids that Find writes: those of the shortest words.
  static constexpr std::size_t kIdsMax = (kLineBytes - 16) / sizeof(int32_t);

  /// `lines`: a power of two, at least 2.
  explicit WordCache(std::size_t lines);

  /// Tells the processor that the word will be looked for.
  void Prefetch(uint64_t hash) const { _mm_prefetch(&lines_[IndexOf(hash)], _MM_HINT_T0); }

  /// Writes the ids of the word to `ids` (where there is room for one more than it has); 0: it is
  /// not there. `hash` is the word's, any good one. 8 bytes can be read behind the word.
  std::size_t Find(uint64_t hash, std::string_view word, int32_t* ids) const;

  /// Whether a line can hold so much.
  static constexpr bool Fits(std::size_t word_bytes, std::size_t ids) {
    return word_bytes <= kWordBytesMax && ids > 0 &&
           (word_bytes + 7) / 8 + (ids + 1) / 2 <= kPayload;
  }
  /// Remembers a word if it fits.
  void Insert(uint64_t hash, std::string_view word, std::span<const int32_t> ids);

  std::size_t memory_bytes() const { return (mask_ + 1) * sizeof(Line); }

 private:
  struct alignas(64) Line {
    // version << 16 | bytes of the word << 8 | number of ids. An odd version: being written.
    std::atomic<uint64_t> head{0};
    // The word's bytes in whole parts, zero behind its end, then its ids, two to a part.
    std::array<std::atomic<uint64_t>, kPayload> payload{};
  };
  static_assert(sizeof(Line) == kLineBytes);

  std::size_t FindIn(const Line& line, std::string_view word, int32_t* ids) const;
  /// The first of the two lines of a word; the other is its neighbour.
  std::size_t IndexOf(uint64_t hash) const { return hash & mask_ & ~std::size_t{1}; }

  std::unique_ptr<Line[]> lines_;
  std::size_t mask_;
};

extern template class WordCache<64>;
extern template class WordCache<256>;

}  // namespace text
