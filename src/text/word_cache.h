#pragma once

#include <xmmintrin.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace text {

/// Words seen before and their ids, in a fixed number of lines that all threads share. A line holds
/// one word of up to 8 * kKeyParts bytes and 2 * kIdParts ids; a word can lie in any of the four
/// lines of its set, where a new one takes the place of the one that was written least often.
///
/// Threads: any number may look up and remember at once, without a lock. A line is guarded by its
/// version (a seqlock, Boehm 2012, "Can seqlocks get along with programming language memory
/// models?"): who reads while another writes finds nothing, and who would write a line that is
/// being written leaves it be.
template <std::size_t kKeyParts, std::size_t kIdParts>
class WordCache {
 public:
  static constexpr std::size_t kWordBytesMax = kKeyParts * sizeof(uint64_t);
  static constexpr std::size_t kIdsMax = 2 * kIdParts;

  /// The word's bytes, 0xFF behind its end (which UTF-8 does not have).
  using Key = std::array<uint64_t, kKeyParts>;

  /// `lines`: a power of two, at least 4.
  explicit WordCache(std::size_t lines);

  /// Tells the processor that the word will be looked for.
  void Prefetch(uint64_t hash) const { _mm_prefetch(&lines_[SetOf(hash)], _MM_HINT_T0); }

  /// Writes up to kIdsMax ids, of which the word's are the first, and returns how many those are;
  /// 0: it is not there. `hash` is the word's, with at least 40 good bits.
  std::size_t Find(uint64_t hash, const Key& key, int32_t* ids) const;

  /// Remembers a word of one id or more, unless those are more than kIdsMax.
  void Insert(uint64_t hash, const Key& key, std::span<const int32_t> ids);

  std::size_t memory_bytes() const { return (mask_ + 1) * sizeof(Line); }

 private:
  static constexpr std::size_t kWays = 4;
  // As many as are read at once with the key, without a branch on their number.
  static constexpr std::size_t kFirstIdParts = 3;

  struct alignas(64) Line {
    // version << 16 | bits of the hash << 8 | number of ids; 0: free. Odd version: being written.
    std::atomic<uint64_t> head{0};
    std::array<std::atomic<uint64_t>, kKeyParts> key{};
    std::array<std::atomic<uint64_t>, kIdParts> ids{};  // two in each
  };

  std::size_t SetOf(uint64_t hash) const { return hash & mask_ & ~(kWays - 1); }

  std::unique_ptr<Line[]> lines_;
  std::size_t mask_;
};

/// Lines of 128 bytes, of which most words need the first half, and of 256 for what has no blanks
/// (Thai, Chinese, addresses).
using ShortWordCache = WordCache<4, 11>;
using LongWordCache = WordCache<15, 16>;

extern template class WordCache<4, 11>;
extern template class WordCache<15, 16>;

}  // namespace text
