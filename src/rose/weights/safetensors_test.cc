#include "rose/weights/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "rose/weights/weight_file.h"

namespace rose {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string LittleEndian(uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

std::string File(std::string_view header, std::size_t data_bytes) {
  return LittleEndian(header.size()) + std::string(header) + std::string(data_bytes, '\1');
}

absl::StatusOr<std::vector<StoredTensor>> Parse(const std::string& file) {
  return ParseSafetensors(std::as_bytes(std::span(file)), "m.safetensors");
}

std::string Refusal(const std::string& file) {
  const absl::Status status = Parse(file).status();
  EXPECT_THAT(std::string(status.message()), StartsWith("m.safetensors: "));
  return std::string(status.message());
}

constexpr std::string_view kSound = R"({
    "b": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [8, 20]},
    "a": {"dtype": "I64", "shape": [], "data_offsets": [0, 8]},
    "none": {"dtype": "F32", "shape": [0, 4], "data_offsets": [8, 8]},
    "__metadata__": {"format": "pt"}})";

TEST(ParseSafetensors, TensorsInTheOrderOfTheirBytes) {
  const std::string file = File(kSound, 20);
  const auto tensors = Parse(file);
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  ASSERT_EQ(tensors->size(), 3u);
  EXPECT_EQ((*tensors)[0].name, "a");
  EXPECT_EQ((*tensors)[0].dtype, "I64");
  EXPECT_THAT((*tensors)[0].shape, IsEmpty());
  EXPECT_EQ((*tensors)[1].name, "none");
  EXPECT_EQ((*tensors)[2].name, "b");
  EXPECT_THAT((*tensors)[2].shape, ElementsAre(2, 3));
  const auto* data = reinterpret_cast<const std::byte*>(file.data()) + file.size() - 20;
  EXPECT_EQ((*tensors)[2].bytes.data(), data + 8);
  EXPECT_EQ((*tensors)[2].bytes.size(), 12u);
}

TEST(ParseSafetensors, NoTensorsAtAll) { EXPECT_THAT(*Parse(File("{}", 0)), IsEmpty()); }

TEST(ParseSafetensors, TypesNarrowerThanAByte) {
  EXPECT_TRUE(Parse(File(R"({"t":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}})", 2)).ok());
  EXPECT_THAT(Refusal(File(R"({"t":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}})", 1)),
              HasSubstr("1 bytes do not hold F4 [3]"));
}

TEST(ParseSafetensors, HeaderLength) {
  EXPECT_THAT(Refusal(""), HasSubstr("0 bytes hold no safetensors header"));
  EXPECT_THAT(Refusal("1234567"), HasSubstr("7 bytes hold no safetensors header"));
  EXPECT_THAT(Refusal(LittleEndian(0) + "{}"), HasSubstr("header length: expected 2 … 2, got 0"));
  EXPECT_THAT(Refusal(LittleEndian(3) + "{}"), HasSubstr("header length: expected 2 … 2, got 3"));
  EXPECT_THAT(Refusal(LittleEndian(INT64_MAX) + "{}"), HasSubstr("got 9223372036854775807"));
  EXPECT_THAT(Refusal(LittleEndian(UINT64_MAX) + "{}"), HasSubstr("got 18446744073709551615"));
}

TEST(ParseSafetensors, EveryTruncationIsRefused) {
  const std::string file = File(kSound, 20);
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(Parse(file.substr(0, size)).ok()) << size;
  }
  EXPECT_THAT(Refusal(file.substr(0, file.size() - 1)),
              HasSubstr("b: data_offsets: end 20 lies behind the 19 bytes"));
}

TEST(ParseSafetensors, HeaderMustBeJson) {
  EXPECT_THAT(Refusal(File("{]", 0)), HasSubstr("header: not JSON"));
  EXPECT_THAT(Refusal(File("[]", 0)), HasSubstr("header: expected a JSON object"));
  EXPECT_THAT(Refusal(File("{\"\xff\":1}", 0)), HasSubstr("header"));
  EXPECT_THAT(Refusal(File(R"({"t":1})", 0)), HasSubstr("t: expected an object"));
}

struct BadEntry {
  const char* entry;
  const char* message;
};

TEST(ParseSafetensors, BadEntriesNameTensorAndField) {
  const BadEntry entries[] = {
      {R"({"shape":[1],"data_offsets":[0,4]})", "t: dtype: expected a name"},
      {R"({"dtype":"Q8","shape":[1],"data_offsets":[0,4]})", "t: dtype: unknown type \"Q8\""},
      {R"({"dtype":"F32","data_offsets":[0,4]})", "t: shape: expected a list"},
      {R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", "t: shape: expected extents of 0"},
      {R"({"dtype":"F32","shape":[1.0],"data_offsets":[0,4]})", "t: shape: expected extents of 0"},
      {R"({"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,4]})", "t: shape"},
      {R"({"dtype":"F32","shape":[1]})", "t: data_offsets: expected [begin, end]"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[0]})", "t: data_offsets: expected"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[-4,0]})", "t: data_offsets: expected"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", "end 0 lies before begin 4"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})", "end 8 lies behind the 4 bytes"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", "4 bytes do not hold F32 [2]"},
      {R"({"dtype":"F32","shape":[4294967296,4294967297],"data_offsets":[0,4]})", "do not hold"},
      {R"({"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]})", "do not hold"},
  };
  for (const BadEntry& bad : entries) {
    EXPECT_THAT(Refusal(File(std::string("{\"t\":") + bad.entry + "}", 4)), HasSubstr(bad.message));
  }
}

TEST(ParseSafetensors, HolesAndOverlapsAreRefused) {
  const auto two = [](const char* first, const char* second, std::size_t bytes) {
    return File(std::string(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)") + first +
                    R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + second + "}}",
                bytes);
  };
  EXPECT_TRUE(Parse(two("[2,4]", "[0,2]", 4)).ok());
  EXPECT_THAT(Refusal(two("[0,2]", "[3,5]", 5)),
              HasSubstr("b: data_offsets: begin 3 leaves a hole"));
  EXPECT_THAT(Refusal(two("[0,2]", "[1,3]", 3)), HasSubstr("b: data_offsets: begin 1"));
  EXPECT_THAT(Refusal(two("[0,2]", "[0,2]", 2)), HasSubstr("data_offsets: begin 0"));
  EXPECT_THAT(Refusal(two("[1,3]", "[3,5]", 5)), HasSubstr("a: data_offsets: begin 1"));
  EXPECT_THAT(Refusal(two("[0,2]", "[2,4]", 7)), HasSubstr("the last 3 bytes"));
}

TEST(ParseSafetensors, WhateverItAcceptsLiesInTheFile) {
  const std::string sound = File(kSound, 20);
  std::mt19937 random(1);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string file = sound;
    const std::size_t flips = 1 + random() % 3;
    for (std::size_t i = 0; i < flips; ++i) {
      file[random() % (file.size() - 20)] = static_cast<char>(random() % 256);
    }
    const auto tensors = Parse(file);
    if (!tensors.ok()) continue;
    ++accepted;
    std::size_t total = 0;
    for (const StoredTensor& tensor : *tensors) total += tensor.bytes.size();
    const auto* begin = reinterpret_cast<const std::byte*>(file.data());
    for (const StoredTensor& tensor : *tensors) {
      ASSERT_GE(tensor.bytes.data(), begin + 8);
      ASSERT_LE(tensor.bytes.data() + tensor.bytes.size(), begin + file.size());
    }
    ASSERT_LT(total, file.size());
  }
  EXPECT_GT(accepted, 0);  // Names and spaces may change without harm.
}

TEST(ParseSafetensors, ATensorDescribedTwiceIsRefused) {
  EXPECT_THAT(Refusal(File(R"({"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},
                               "t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
                           2)),
              HasSubstr("header: t is described twice"));
}

/// Endless if the time grew with the square of their number.
TEST(ParseSafetensors, ThousandsOfTensors) {
  std::string header = "{";
  for (int i = 0; i < 30000; ++i) {
    header +=
        R"("t)" + std::to_string(i) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)";
  }
  header.back() = '}';
  EXPECT_EQ(Parse(File(header, 0))->size(), 30000U);
}

TEST(Safetensors, MissingFileIsNamed) {
  const absl::Status status = WeightFile::Open("/nonexistent/model.safetensors").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), StartsWith("model.safetensors: No such file"));
}

TEST(Safetensors, AFolderIsRefused) {
  EXPECT_THAT(std::string(WeightFile::Open("/tmp").status().message()), HasSubstr("not a file"));
}

}  // namespace
}  // namespace rose
