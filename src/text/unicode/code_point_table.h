#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace text {

/// A value for each of the 1,114,112 code points in two steps: pages of 256, of which only those
/// that hold something take memory. What was never set is T{}. Immutable once filled.
template <typename T>
class CodePointTable {
 public:
  CodePointTable() : values_(kPageSize) {}

  T operator[](char32_t c) const {
    return values_[std::size_t{page_of_[c / kPageSize]} * kPageSize + c % kPageSize];
  }

  /// The value of `c`, to be changed while the table is filled, before ShareEqualPages.
  T& At(char32_t c) {
    uint16_t& page = page_of_[c / kPageSize];
    if (page == 0) {
      page = static_cast<uint16_t>(values_.size() / kPageSize);
      values_.resize(values_.size() + kPageSize);
    }
    return values_[std::size_t{page} * kPageSize + c % kPageSize];
  }

  /// Lets pages that hold the same take memory once: less of it, and less of the caches.
  void ShareEqualPages() {
    std::map<std::vector<T>, uint16_t> pages;
    std::vector<uint16_t> page_after;  // By the page before.
    std::vector<T> values;
    for (auto begin = values_.begin(); begin != values_.end(); begin += kPageSize) {
      const auto next = static_cast<uint16_t>(values.size() / kPageSize);
      const auto [entry, is_new] = pages.emplace(std::vector<T>(begin, begin + kPageSize), next);
      if (is_new) values.insert(values.end(), begin, begin + kPageSize);
      page_after.push_back(entry->second);
    }
    for (uint16_t& page : page_of_) page = page_after[page];
    values_ = std::move(values);
  }

 private:
  static constexpr std::size_t kPageSize = 256;

  std::array<uint16_t, 0x110000 / kPageSize> page_of_{};
  std::vector<T> values_;  // Page 0 is the empty one.
};

}  // namespace text
