#pragma once

#include <cstdint>
#include <vector>

#include "text/unicode/code_point_table.h"
#include "text/unicode/tables.h"

namespace text {

/// Which pairs of characters NFC joins to one (Unicode 9.0 data), in constant time.
class Compositions {
 public:
  static const Compositions& Get();

  /// What the two are joined to; 0 if they stay two.
  char32_t Compose(char32_t first, char32_t second) const;

  /// Whether `c` can be joined to something before it.
  bool IsSecond(char32_t c) const { return (places_[c] & kSecond) != 0; }

 private:
  enum Place : uint8_t { kFirst = 1 << 0, kSecond = 1 << 1 };

  Compositions();

  std::size_t Slot(char32_t first, char32_t second) const;

  CodePointTable<uint8_t> places_;
  std::vector<Composition> slots_;  // Open addressing; composite 0: free.
};

}  // namespace text
