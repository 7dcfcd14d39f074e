#pragma once

#include <span>

#include "text/unicode/code_point_table.h"
#include "text/unicode/tables.h"

namespace text {

/// Some code points, in constant time. Immutable.
class CodePointSet {
 public:
  explicit CodePointSet(std::span<const CodePointRange> ranges) {
    for (const auto& [first, last] : ranges) {
      for (char32_t c = first; c <= last; ++c) holds_.At(c) = 1;
    }
  }

  bool Contains(char32_t c) const { return holds_[c] != 0; }

 private:
  CodePointTable<uint8_t> holds_;
};

}  // namespace text
