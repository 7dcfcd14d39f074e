#include "text/unicode/categories.h"

#include <gtest/gtest.h>

namespace text {
namespace {

TEST(CategoriesTest, AreTheLibrarys) {
  const Categories& categories = Categories::Get();
  EXPECT_EQ(categories[U'a'], kLetterCategory | kWordCategory);
  EXPECT_EQ(categories[U'7'], kNumberCategory | kNumericCategory | kWordCategory);
  EXPECT_EQ(categories[U'_'], kPunctuationCategory | kWordCategory);
  EXPECT_EQ(categories[U'$'], kPunctuationCategory);
  EXPECT_EQ(categories[U' '], kSpaceCategory);
  EXPECT_EQ(categories[0x85], kSpaceCategory);
  EXPECT_EQ(categories[0x200B], 0);
  EXPECT_EQ(categories[0x301], kMarkCategory | kWordCategory);
  EXPECT_EQ(categories[0x11DE0] & (kNumberCategory | kNumericCategory),
            kNumericCategory);  // New in Unicode 17.
  EXPECT_EQ(categories[0x10FFFF], 0);
}

TEST(CategoriesTest, OfLetterNumberMarkAndSpaceACharacterHasOne) {
  const Categories& categories = Categories::Get();
  std::size_t letters = 0, numbers = 0, marks = 0, spaces = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    const unsigned kinds =
        categories[c] & (kLetterCategory | kNumberCategory | kMarkCategory | kSpaceCategory);
    ASSERT_EQ(kinds & (kinds - 1), 0u) << static_cast<uint32_t>(c);
    letters += kinds == kLetterCategory;
    numbers += kinds == kNumberCategory;
    marks += kinds == kMarkCategory;
    spaces += kinds == kSpaceCategory;
  }
  EXPECT_EQ(letters, 141028u);
  EXPECT_EQ(numbers, 1911u);
  EXPECT_EQ(marks, 2501u);
  EXPECT_EQ(spaces, 25u);
}

}  // namespace
}  // namespace text
