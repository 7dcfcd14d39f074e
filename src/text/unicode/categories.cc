#include "text/unicode/categories.h"

#include "text/unicode/category_tables.h"

namespace text {

Categories::Categories() {
  const auto mark = [this](std::span<const CodePointRange> ranges, Category category) {
    for (const auto& [first, last] : ranges) {
      for (char32_t c = first; c <= last; ++c) table_.At(c) |= category;
    }
  };
  mark(kLetterRanges, kLetterCategory);
  mark(kNumberRanges, kNumberCategory);
  mark(kMarkRanges, kMarkCategory);
  mark(kWhitespace, kSpaceCategory);
  mark(kNumericRanges, kNumericCategory);
  mark(kWordCharacters, kWordCategory);
  mark(kPunctuation, kPunctuationCategory);
}

const Categories& Categories::Get() {
  static const Categories& categories = *new Categories;
  return categories;
}

}  // namespace text
