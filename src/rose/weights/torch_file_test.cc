#include "rose/weights/torch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/json.h"
#include "rose/core/bfloat16.h"
#include "rose/weights/convert.h"
#include "rose/weights/mapped_file.h"

namespace rose {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const fs::path kFolder = fs::path(PARTERRE_TEST_DATA) / "weights";

std::vector<std::byte> ReadBytes(const std::string& name) {
  const auto file = *MappedFile::Open(kFolder / name);
  return {file->bytes().begin(), file->bytes().end()};
}

template <typename T, typename ToDouble>
std::vector<double> ValuesOf(std::span<const std::byte> bytes, ToDouble to_double) {
  std::vector<double> values;
  for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T stored;
    std::memcpy(&stored, bytes.data() + i, sizeof(T));
    values.push_back(to_double(stored));
  }
  return values;
}

template <typename T>
std::vector<double> ValuesOf(std::span<const std::byte> bytes) {
  return ValuesOf<T>(bytes, [](T value) { return static_cast<double>(value); });
}

std::vector<double> Values(const StoredTensor& tensor) {
  using Read = std::vector<double> (*)(std::span<const std::byte>);
  static const std::map<std::string, Read> kReaders = {
      {"F32", ValuesOf<float>},
      {"F64", ValuesOf<double>},
      {"I64", ValuesOf<int64_t>},
      {"I32", ValuesOf<int32_t>},
      {"I16", ValuesOf<int16_t>},
      {"I8", ValuesOf<int8_t>},
      {"U8", ValuesOf<uint8_t>},
      {"BOOL", ValuesOf<uint8_t>},
      {"F16", [](auto bytes) { return ValuesOf<uint16_t>(bytes, HalfToFloat); }},
      {"BF16", [](auto bytes) {
         return ValuesOf<uint16_t>(bytes, [](uint16_t bits) { return BFloat16{bits}.ToFloat(); });
       }}};
  return kReaders.at(tensor.dtype)(tensor.bytes);
}

TEST(ParseTorchFile, GivesWhatWasSaved) {
  const nlohmann::json expected = *common::ReadJsonFile(kFolder / "expected.json");
  EXPECT_EQ(expected.size(), 7U);
  for (const auto& [name, tensors] : expected.items()) {
    SCOPED_TRACE(name);
    const std::vector<std::byte> file = ReadBytes(name);
    ASSERT_TRUE(IsTorchFile(file));
    const auto parsed = ParseTorchFile(file, name);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    ASSERT_EQ(parsed->size(), tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const StoredTensor& tensor = (*parsed)[i];
      EXPECT_EQ(tensor.name, tensors[i]["name"]);
      EXPECT_EQ(tensor.dtype, tensors[i]["dtype"]) << tensor.name;
      EXPECT_EQ(tensor.shape, tensors[i]["shape"].get<std::vector<int64_t>>()) << tensor.name;
      EXPECT_EQ(Values(tensor), tensors[i]["values"].get<std::vector<double>>()) << tensor.name;
    }
  }
}

TEST(ParseTorchFile, RefusesByNameWhatIsNoTensor) {
  const nlohmann::json refused = *common::ReadJsonFile(kFolder / "refused.json");
  EXPECT_EQ(refused.size(), 13U);
  for (const auto& [name, text] : refused.items()) {
    const std::vector<std::byte> file = ReadBytes(name);
    EXPECT_TRUE(IsTorchFile(file)) << name;
    const absl::Status status = ParseTorchFile(file, name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()), StartsWith(name + ": "));
    EXPECT_THAT(std::string(status.message()), HasSubstr(text.get<std::string>()));
  }
}

std::map<std::string, StoredTensor> TensorsOf(std::span<const std::byte> file) {
  std::map<std::string, StoredTensor> tensors;
  const auto parsed = ParseTorchFile(file, "t.bin");
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  for (const StoredTensor& tensor : *parsed) tensors[tensor.name] = tensor;
  return tensors;
}

TEST(ParseTorchFile, TiedTensorsShareTheirBytes) {
  const std::vector<std::byte> file = ReadBytes("tied.bin");
  const auto tensors = TensorsOf(file);
  EXPECT_EQ(tensors.at("table").bytes.data(), tensors.at("head").bytes.data());
  EXPECT_EQ(tensors.at("table").copy, nullptr);
}

TEST(ParseTorchFile, OnlyViewsInAnotherOrderAreCopied) {
  const std::vector<std::byte> file = ReadBytes("views.bin");
  const auto tensors = TensorsOf(file);
  EXPECT_EQ(tensors.at("all").bytes.data() + 2 * 3 * sizeof(float),
            tensors.at("rows").bytes.data());
  for (const char* copied : {"transposed", "columns", "every_other", "permuted"}) {
    EXPECT_NE(tensors.at(copied).copy, nullptr) << copied;
  }
}

/// Fails the test if a tensor's bytes lie outside the file (or its own copy).
void CheckBounds(std::span<const std::byte> file, const std::vector<StoredTensor>& tensors) {
  for (const StoredTensor& tensor : tensors) {
    if (tensor.copy != nullptr || tensor.bytes.empty()) continue;
    ASSERT_GE(tensor.bytes.data(), file.data());
    ASSERT_LE(tensor.bytes.data() + tensor.bytes.size(), file.data() + file.size());
  }
}

TEST(ParseTorchFile, AFileCutOffAnywhereIsRefused) {
  const std::vector<std::byte> whole = ReadBytes("linear.pt");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<int64_t>(size));
    ASSERT_FALSE(ParseTorchFile(cut, "cut.pt").ok()) << size;
  }
}

TEST(ParseTorchFile, NoChangedByteLeadsOutsideTheFile) {
  int accepted = 0;
  for (const char* name : {"linear.pt", "views.bin", "nested.pt"}) {
    const std::vector<std::byte> whole = ReadBytes(name);
    std::vector<std::byte> file = whole;
    for (std::size_t i = 0; i < file.size(); ++i) {
      for (const uint8_t change : {0x01, 0x80, 0xff, 0x5a}) {
        file[i] ^= std::byte{change};
        const auto tensors = ParseTorchFile(file, name);
        if (tensors.ok()) {
          ++accepted;
          CheckBounds(file, *tensors);
        }
        file[i] = whole[i];
      }
    }
  }
  EXPECT_GT(accepted, 0);  // Names, values and checksums may change without harm.
}

TEST(IsTorchFile, SafetensorsAreNone) {
  const std::string header = "\x80\x02\0\0\0\0\0\0{}";
  EXPECT_FALSE(IsTorchFile(std::as_bytes(std::span(header))));
  EXPECT_FALSE(IsTorchFile({}));
}

}  // namespace
}  // namespace rose
