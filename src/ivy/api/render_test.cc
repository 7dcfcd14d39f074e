#include "ivy/api/render.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "ivy/api/json_fault.h"

namespace ivy {
namespace {

std::string Floats(const std::vector<float>& values) {
  std::string out = "x";
  AppendFloats(values, out);
  return out.substr(1);
}

std::string Base64OfBytes(const std::vector<float>& values) {
  std::string out = "x";
  AppendBase64(BytesOf(values), out);
  return out.substr(1);
}

TEST(AppendFloats, ShortestForms) {
  EXPECT_EQ(Floats({}), "[]");
  EXPECT_EQ(Floats({1, -0.5F, 0.1F, 1e-5F, -0.0F}), "[1,-0.5,0.1,1e-05,-0]");
}

TEST(AppendFloats, EveryFloatReadsBackAndFits) {
  std::mt19937 random(3);
  std::vector<float> values = {
      std::numeric_limits<float>::max(), -std::numeric_limits<float>::max(),
      std::numeric_limits<float>::min(), -std::numeric_limits<float>::denorm_min()};
  while (values.size() < 100'000) {
    const uint32_t bits = random();
    float value = 0;
    std::memcpy(&value, &bits, 4);
    if (value - value == 0) values.push_back(value);
  }
  const std::string text = Floats(values);
  const char* at = text.data() + 1;
  for (const float value : values) {
    float read = 0;
    const auto end = std::from_chars(at, text.data() + text.size(), read).ptr;
    ASSERT_EQ(std::memcmp(&read, &value, 4), 0) << value;
    ASSERT_LT(end - at, 16) << std::string(at, end);
    at = end + 1;
  }
}

TEST(AppendBase64, KnownBytes) {
  EXPECT_EQ(Base64OfBytes({}), "\"\"");
  EXPECT_EQ(Base64OfBytes({1}), "\"AACAPw==\"");
  EXPECT_EQ(Base64OfBytes({1, -2}), "\"AACAPwAAAMA=\"");
  EXPECT_EQ(Base64OfBytes({1, -2, 0.1F}), "\"AACAPwAAAMDNzMw9\"");
}

TEST(AppendBase64, LengthIsExact) {
  for (std::size_t count = 0; count < 20; ++count) {
    EXPECT_EQ(Base64OfBytes(std::vector<float>(count, 0.3F)).size(), Base64Bytes(4 * count));
  }
}

TEST(AppendBase64, BytesThatFillNoTriple) {
  std::string out;
  AppendBase64(std::vector<uint8_t>{0xfb}, out);
  AppendBase64(std::vector<uint8_t>{0xfb, 0xff}, out);
  EXPECT_EQ(out, "\"+w==\"\"+/8=\"");
}

TEST(AppendIntegers, WholeRange) {
  std::string out;
  AppendIntegers(std::vector<int8_t>{-128, 0, 127}, out);
  AppendIntegers(std::vector<uint8_t>{}, out);
  AppendIntegers(std::vector<uint8_t>(100, 255), out);
  EXPECT_EQ(out.substr(0, 12), "[-128,0,127]");
  EXPECT_EQ(out.substr(12, 2), "[]");
  EXPECT_EQ(out.size(), 14 + 100 * 4 + 1);
}

TEST(AppendRows, ListsOfLists) {
  std::string out;
  AppendRows({.columns = 2, .values = std::vector<float>{1, 2, 3, 4}}, out);
  AppendRows({}, out);
  EXPECT_EQ(out, "[[1,2],[3,4]][]");
}

TEST(AppendSparse, PairsOfIndexAndValue) {
  const std::vector<int32_t> ids = {7, 250001};
  const std::vector<float> weights = {0.5F, 1e-8F};
  std::string out;
  AppendSparse({.ids = ids, .weights = weights}, out);
  AppendSparse({}, out);
  EXPECT_EQ(out, R"([{"index":7,"value":0.5},{"index":250001,"value":1e-08}][])");
}

TEST(JsonFault, TellsPathAndByte) {
  const std::tuple<const char*, const char*, std::size_t> cases[] = {
      {R"({"a":[1,{"b":"\ud800"}]})", "a[1].b", 20},
      {R"({"a":1,"c":nope})", "c", 12},
      {R"([1,2)", "[2]", 5},
      {"", "", 0},
      {"x", "", 0},
  };
  for (const auto& [body, path, byte] : cases) {
    const JsonFault fault = FindJsonFault(body);
    EXPECT_EQ(fault.path, path) << body;
    EXPECT_LE(fault.byte.value_or(999), byte) << body;
  }
}

TEST(JsonFault, LargeBodiesAndDeepOnesAreSafe) {
  EXPECT_FALSE(FindJsonFault(std::string(2'000'000, '[')).byte);
  EXPECT_TRUE(FindJsonFault(std::string(1'000'000, '[')).byte);
}

}  // namespace
}  // namespace ivy
