#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "text/word_key.h"

namespace text {

/// Words seen before and their ids, in a fixed number of cache lines that all threads share. A line
/// holds one word; a word can lie in two lines, and a new one takes the place of one of them.
///
/// Threads: any number may look up and remember at once, without a lock. A line is guarded by its
/// version (a seqlock, Boehm 2012, "Can seqlocks get along with programming language memory
/// models?"): who reads while another writes finds nothing, and who would write a line that is
/// being written leaves it be.
class WordCache {
 public:
  /// Most ids that Find writes.
  static constexpr std::size_t kIdsMax = 12;

  /// `lines`: a power of two, at least 2.
  explicit WordCache(std::size_t lines);

  /// Writes the ids of the word to `ids`; 0: it is not there.
  std::size_t Find(const WordKey& key, int32_t* ids) const;

  /// Remembers a word, unless it is too large together with its ids (one or more).
  void Insert(const WordKey& key, std::span<const int32_t> ids);

  std::size_t memory_bytes() const { return (mask_ + 1) * sizeof(Line); }

 private:
  static constexpr std::size_t kPayload = 7;

  struct alignas(64) Line {
    // version << 16 | bytes of the word << 8 | number of ids. An odd version: being written.
    std::atomic<uint64_t> head{0};
    // The word's bytes in whole parts, then its ids, two to a part.
    std::array<std::atomic<uint64_t>, kPayload> payload{};
  };

  std::size_t FindIn(const Line& line, const WordKey& key, int32_t* ids) const;
  /// The first of the two lines of a word; the other is its neighbour.
  std::size_t IndexOf(const WordKey& key) const {
    return (key.hash >> 20) & mask_ & ~std::size_t{1};
  }

  std::unique_ptr<Line[]> lines_;
  std::size_t mask_;
};

}  // namespace text
