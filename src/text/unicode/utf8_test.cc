#include "text/unicode/utf8.h"

#include <gtest/gtest.h>

namespace text {
namespace {

TEST(Utf8Test, EveryCodePointThereAndBack) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string bytes;
    AppendUtf8(c, bytes);
    ASSERT_TRUE(IsValidUtf8(bytes)) << std::hex << static_cast<uint32_t>(c);
    std::size_t at = 0;
    ASSERT_EQ(DecodeUtf8(bytes, at), c);
    ASSERT_EQ(at, bytes.size());
    ASSERT_EQ(LastCodePoint("xé" + bytes), c);
    ASSERT_EQ(CountCodePoints("xé" + bytes), 3u);
  }
}

// Well-formed byte sequences of up to four bytes are the encodings of the code points, so there are
// as many of each length as there are code points of that length.
TEST(Utf8Test, NothingElseIsValid) {
  const auto count = [](std::size_t size, unsigned lead_first) {
    std::size_t valid = 0;
    std::string bytes(size, '\0');
    for (unsigned lead = lead_first; lead < 256; ++lead) {
      bytes[0] = static_cast<char>(lead);
      // The third and fourth byte need no more than one value of each kind.
      for (unsigned second = 0; second < 256; ++second) {
        bytes[1] = static_cast<char>(second);
        for (const char rest : {'a', '\x80', '\xBF', '\xC2'}) {
          for (std::size_t i = 2; i < size; ++i) bytes[i] = rest;
          valid += IsValidUtf8(bytes) ? 1 : 0;
        }
      }
    }
    return valid;
  };
  EXPECT_EQ(count(3, 0xE0), (0x10000 - 0x800 - 0x800) / 64 * 2u);
  EXPECT_EQ(count(4, 0xF0), 0x100000 / 4096 * 2u);
}

TEST(Utf8Test, RefusesWhatIsMalformed) {
  for (const std::string_view bytes :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x80\x80", "\xE2\x82",
        "\xE2(\xAC", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x9F\x98",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "plain text and then \xE2\x82"}) {
    EXPECT_FALSE(IsValidUtf8(bytes)) << testing::PrintToString(bytes);
  }
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8(std::string_view("a\0b", 3)));
}

TEST(Utf8Test, MendsWhatIsMalformed) {
  const auto mended = [](std::string_view bytes) {
    std::string out = ">";
    AppendValidUtf8(bytes, out);
    return out.substr(1);
  };
  EXPECT_EQ(mended("plain é 漢 😀"), "plain é 漢 😀");
  EXPECT_EQ(mended("a\xE2\x82"), "a\uFFFD") << "one for what is cut off";
  EXPECT_EQ(mended("\xF0\x9F\x98(\xC3"), "\uFFFD(\uFFFD");
  EXPECT_EQ(mended("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(mended("\x80\xFF\xC0\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(mended("\xE2\x82\xC3\xA9"), "\uFFFDé");
  EXPECT_EQ(mended(""), "");
}

// Around the widths of vectors, and over the bytes that a vector can count.
TEST(Utf8Test, Counts) {
  std::string text;
  std::size_t points = 0, spaces = 0;
  for (int i = 0; i < 9000; ++i) {
    text += i % 7 == 0 ? "é" : i % 11 == 0 ? "😀" : " ";
    ++points;
    spaces += text.back() == ' ' ? 1 : 0;
    if (i > 50 && i % 997 != 0) continue;
    ASSERT_EQ(CountCodePoints(text), points);
    ASSERT_EQ(CountBytes(text, ' '), spaces);
  }
  EXPECT_EQ(CountBytes(std::string(100'000, 'a'), 'a'), 100'000u);
}

TEST(Utf8Test, FindsTheEndOfAscii) {
  const std::string ascii(37, 'a');
  for (std::size_t begin = 0; begin <= ascii.size(); ++begin) {
    EXPECT_EQ(AsciiEnd(ascii, begin), ascii.size());
    EXPECT_EQ(AsciiEnd(ascii + "é tail", begin), ascii.size());
  }
}

}  // namespace
}  // namespace text
