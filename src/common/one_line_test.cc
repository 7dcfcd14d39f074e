#include "common/one_line.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace common {
namespace {

TEST(OneLine, TextIsLeftAlone) {
  EXPECT_EQ(OneLine(""), "");
  EXPECT_EQ(OneLine("config.json: größer als 3 …"), "config.json: größer als 3 …");
}

TEST(OneLine, ControlCharactersAreWritten) {
  EXPECT_EQ(OneLine(std::string_view("a\0b\nc\r\x1b[31md\x7f", 13)),
            "a\\x00b\\x0ac\\x0d\\x1b[31md\\x7f");
}

TEST(OneLine, OverlongTextIsCutBetweenCharacters) {
  EXPECT_EQ(OneLine(std::string(2000, 'x')), std::string(2000, 'x'));
  EXPECT_EQ(OneLine(std::string(2001, 'x')), std::string(2000, 'x') + "…");
  EXPECT_EQ(OneLine(std::string(1999, 'x') + "éé"), std::string(1999, 'x') + "…");
  EXPECT_EQ(OneLine(std::string(3000, '\x80')), "…");
}

}  // namespace
}  // namespace common
