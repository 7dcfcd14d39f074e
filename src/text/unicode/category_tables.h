#pragma once

#include <span>

#include "text/unicode/tables.h"

// The generated tables behind text/unicode/categories.h, which is what most others include. Sorted
// by code point.

namespace text {

/// Unicode's general categories, without those of surrogates and of what is not assigned.
enum class GeneralCategory : uint8_t {
  kLu,
  kLl,
  kLt,
  kLm,
  kLo,
  kMn,
  kMc,
  kMe,
  kNd,
  kNl,
  kNo,
  kPc,
  kPd,
  kPs,
  kPe,
  kPi,
  kPf,
  kPo,
  kSm,
  kSc,
  kSk,
  kSo,
  kZs,
  kZl,
  kZp,
  kCc,
  kCf,
  kCo,
};

struct CategoryRange {
  char32_t first, last;
  GeneralCategory category;
};

extern const std::span<const CategoryRange> kLetterCategories;
extern const std::span<const CategoryRange> kOtherCategories;  ///< of what is no letter

/// Calls `visit` for each range of both.
template <typename Visit>
void ForEachCategoryRange(Visit visit) {
  for (const CategoryRange& range : kLetterCategories) visit(range);
  for (const CategoryRange& range : kOtherCategories) visit(range);
}

/// What Digits takes for a digit.
extern const std::span<const CodePointRange> kNumericRanges;

}  // namespace text
