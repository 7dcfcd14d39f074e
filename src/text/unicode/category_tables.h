#pragma once

#include <span>

#include "text/unicode/tables.h"

// The generated tables behind text/unicode/categories.h, which is what others include. Sorted by
// code point.

namespace text {

extern const std::span<const CodePointRange> kLetterRanges;
extern const std::span<const CodePointRange> kNumberRanges;
extern const std::span<const CodePointRange> kMarkRanges;
extern const std::span<const CodePointRange> kDecimalDigitRanges;
extern const std::span<const CodePointRange> kNumericRanges;

}  // namespace text
