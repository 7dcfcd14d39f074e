#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

  /// The value of `c`, to be changed while the table is filled.
  T& At(char32_t c) {
    uint16_t& page = page_of_[c / kPageSize];
    if (page == 0) {
      page = static_cast<uint16_t>(values_.size() / kPageSize);
      values_.resize(values_.size() + kPageSize);
    }
    return values_[std::size_t{page} * kPageSize + c % kPageSize];
  }

 private:
  static constexpr std::size_t kPageSize = 256;

  std::array<uint16_t, 0x110000 / kPageSize> page_of_{};
  std::vector<T> values_;  // Page 0 is the empty one.
};

}  // namespace text
