#pragma once

#include <string_view>
#include <vector>

#include "text/unicode/code_point_table.h"

namespace text {

/// Compatibility decompositions (Unicode 9.0 data), in constant time.
class Compatibility {
 public:
  static const Compatibility& Get();

  /// The full decomposition of `c` under NFKD where NFD decomposes it otherwise or not at all; else
  /// empty.
  std::u32string_view Decompose(char32_t c) const { return decompositions_[indices_[c]]; }

 private:
  Compatibility();

  CodePointTable<uint16_t> indices_;
  std::vector<std::u32string_view> decompositions_;  // The first is empty.
};

}  // namespace text
