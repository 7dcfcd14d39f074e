#include "text/unicode/categories.h"

#include "text/unicode/category_tables.h"

namespace text {

Categories::Categories() {
  const auto mark = [this](std::span<const CodePointRange> ranges, Category category) {
    for (const auto& [first, last] : ranges) {
      for (char32_t c = first; c <= last; ++c) table_.At(c) |= category;
    }
  };
  ForEachCategoryRange([&](const CategoryRange& row) {
    const auto& [first, last, general] = row;
    const CodePointRange range = {first, last};
    if (general <= GeneralCategory::kLo) {
      mark({&range, 1}, kLetterCategory);
    } else if (general <= GeneralCategory::kMe) {
      mark({&range, 1}, kMarkCategory);
    } else if (general <= GeneralCategory::kNo) {
      mark({&range, 1}, kNumberCategory);
    }
  });
  mark(kWhitespace, kSpaceCategory);
  mark(kNumericRanges, kNumericCategory);
  mark(kWordCharacters, kWordCategory);
  mark(kPunctuation, kPunctuationCategory);
  for (const char32_t c : {U'\r', U'\n'}) table_.At(c) |= kBreakCategory;
}

const Categories& Categories::Get() {
  static const Categories& categories = *new Categories;
  return categories;
}

}  // namespace text
