#include "text/unicode/byte_characters.h"

#include <gtest/gtest.h>

#include <set>

namespace text {
namespace {

TEST(ByteCharactersTest, EveryByteThereAndBack) {
  std::set<char32_t> seen;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t c = ByteCharacter(static_cast<uint8_t>(byte));
    EXPECT_TRUE(seen.insert(c).second) << byte;
    EXPECT_EQ(ByteOfCharacter(c), byte);
  }
  EXPECT_EQ(ByteCharacter(' '), U'Ġ');
  EXPECT_EQ(ByteCharacter('\n'), U'Ċ');
  EXPECT_EQ(ByteCharacter(0xAD), char32_t{0x143});
  EXPECT_EQ(ByteCharacter('a'), U'a');
}

TEST(ByteCharactersTest, OthersStandForNoByte) {
  for (const char32_t c : {U' ', U'\n', char32_t{0x7F}, char32_t{0xAD}, char32_t{0x144}, U'漢'}) {
    EXPECT_EQ(ByteOfCharacter(c), std::nullopt) << static_cast<uint32_t>(c);
  }
}

}  // namespace
}  // namespace text
