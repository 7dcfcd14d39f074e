#include "text/trimmed_offsets.h"

#include <gtest/gtest.h>

namespace text {
namespace {

using Offset = Encoding::Offset;

TEST(TrimmedOffsetsTest, CountsBlanksAtBothEnds) {
  const auto count = [](std::string_view piece) {
    const BlankEnds blanks = CountBlankEnds(piece);
    return std::pair(blanks.before, blanks.behind);
  };
  EXPECT_EQ(count("the"), std::pair(0u, 0u));
  EXPECT_EQ(count("\u0120the"), std::pair(1u, 0u));
  EXPECT_EQ(count("\u0120\u0120"), std::pair(2u, 2u));
  EXPECT_EQ(count("\t\u3000<m>\u00A0"), std::pair(2u, 1u));
  EXPECT_EQ(count("\u010A\u2581"), std::pair(0u, 0u))
      << "ByteLevel's line break, Metaspace's space";
  EXPECT_EQ(count(""), std::pair(0u, 0u));
}

// The values are the library's.
TEST(TrimmedOffsetsTest, LeavesBlanksOut) {
  EXPECT_EQ(TrimOffset({4, 8}, {1, 0}, false, true), (Offset{5, 8}));
  EXPECT_EQ(TrimOffset({4, 8}, {1, 2}, false, true), (Offset{5, 6}));
  EXPECT_EQ(TrimOffset({4, 5}, {1, 1}, false, true), (Offset{5, 5})) << "a token of blanks alone";
  EXPECT_EQ(TrimOffset({0, 6}, {6, 6}, true, true), (Offset{6, 6}));
}

TEST(TrimmedOffsetsTest, KeepsTheSpaceInFrontThatMayHaveBeenAdded) {
  EXPECT_EQ(TrimOffset({0, 3}, {1, 0}, true, true), (Offset{0, 3}));
  EXPECT_EQ(TrimOffset({7, 9}, {1, 0}, true, true), (Offset{7, 9})) << "first kept of a cut text";
  EXPECT_EQ(TrimOffset({0, 3}, {1, 0}, true, false), (Offset{1, 3}));
  EXPECT_EQ(TrimOffset({0, 1}, {1, 1}, true, true), (Offset{0, 0}));
}

}  // namespace
}  // namespace text
