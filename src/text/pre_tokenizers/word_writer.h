#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/pre_tokenizers/window_bits.h"

namespace text {

/// Appends to a list of words in bursts, without looking at its end for each.
class WordWriter {
 public:
  explicit WordWriter(std::vector<std::string_view>& words);
  /// Sets the list's end.
  ~WordWriter();
  WordWriter(const WordWriter&) = delete;
  WordWriter& operator=(const WordWriter&) = delete;

  void Add(const char* begin, const char* end) {
    if (next_ == end_) Grow();
    *next_++ = Word(begin, end);
  }

  /// Adds the words from `first` to base + the first bit of `starts`, and on between all bits. What
  /// begins at the last one is left.
  template <typename Bytes>
  [[gnu::always_inline]] void AddBetween(const char* first, const char* base, uint64_t starts) {
    AddRuns<Bytes>(starts, [&](std::string_view*& to, uint64_t& rest) {
      const char* const end = base + TakeLowest<Bytes>(rest);
      *to++ = Word(first, end);
      first = end;
    });
  }

  /// Adds for each bit of `ends` the word from `begins` + the same of `starts` to `base` + that
  /// one.
  template <typename Bytes>
  [[gnu::always_inline]] void AddPairs(const char* begins, uint64_t starts, const char* base,
                                       uint64_t ends) {
    AddRuns<Bytes>(ends, [&](std::string_view*& to, uint64_t& rest) {
      const char* const begin = begins + TakeLowest<Bytes>(starts);
      *to++ = Word(begin, base + TakeLowest<Bytes>(rest));
    });
  }

 private:
  static constexpr std::size_t kBurst = 8;
  static constexpr std::ptrdiff_t kRoom = 64 + kBurst;

  static std::string_view Word(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  template <typename Bytes>
  [[gnu::always_inline]] static std::size_t TakeLowest(uint64_t& bits) {
    const std::size_t lowest = Bytes::LowestOrAny(bits);
    bits = WithoutLowest(bits);
    return lowest;
  }

  /// Calls `add` for each of `bits`, and some times more, so that how often the loop turns can
  /// mostly be foreseen by the processor.
  template <typename Bytes, typename AddOne>
  [[gnu::always_inline]] void AddRuns(uint64_t bits, AddOne add) {
    if (end_ - next_ < kRoom) Grow();
    std::string_view* to = next_;
    next_ += Bytes::Count(bits);
    while (bits != 0) {
      for (std::size_t i = 0; i < kBurst; ++i) add(to, bits);
    }
  }

  void Grow();

  std::vector<std::string_view>& words_;
  std::string_view* next_ = nullptr;
  std::string_view* end_ = nullptr;
};

}  // namespace text
