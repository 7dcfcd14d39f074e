#include "ivy/api/quantize.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/file.h"
#include "common/json.h"

namespace ivy {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

std::vector<int8_t> Tanh(const std::vector<float>& values) {
  std::vector<int8_t> out(values.size());
  QuantizeTanh(values, out);
  return out;
}

std::vector<uint8_t> Bits(const std::vector<float>& values, bool zero_is_set, BitOrder order) {
  std::vector<uint8_t> out(values.size() / 8);
  PackBits(values, zero_is_set, order, out);
  return out;
}

TEST(QuantizeTanh, RoundsHalfToEvenWithinItsRange) {
  EXPECT_THAT(Tanh({0, -0.001F, 1e9F, -1e9F, 0.5F}), ElementsAre(0, 0, 127, -127, 59));
  // tanh(x) · 127 is 2.5 and 3.5 within float32's rounding.
  for (const double half : {2.5, 3.5}) {
    const auto x = static_cast<float>(std::atanh(half / 127));
    const float product = std::tanh(x) * 127.0F;
    if (product == static_cast<float>(half)) {
      EXPECT_EQ(Tanh({x})[0], half == 2.5 ? 2 : 4);
    } else {
      EXPECT_EQ(Tanh({x})[0], std::lround(product));
    }
  }
}

TEST(QuantizeRanges, DropsTheFractionAndStaysInside) {
  const ValueRanges ranges = {.min = {-1, -1, -1, -1, -1, -1}, .max = {1, 1, 1, 1, 1, 1}};
  const std::vector<float> values = {-1, 1, 0, -5, 5, 0.1F};
  std::vector<int8_t> signed_bytes(6);
  QuantizeRanges(values, ranges, std::span<int8_t>(signed_bytes));
  // 0 lies at 127.5 steps: -0.5, which is 0 without its fraction. In float32, as the library
  // computes, 255 steps of 2 / 255 do not quite reach 2.
  EXPECT_THAT(signed_bytes, ElementsAre(-128, 126, 0, -128, 127, 12));
  std::vector<uint8_t> bytes(6);
  QuantizeRanges(values, ranges, std::span<uint8_t>(bytes));
  EXPECT_THAT(bytes, ElementsAre(0, 254, 127, 0, 255, 140));
}

TEST(PackBits, OrderAndZero) {
  const std::vector<float> values = {1, 0, -1, -1, -1, -1, -1, 2, -1, -1, -1, -1, -1, -1, -1, 0};
  EXPECT_THAT(Bits(values, true, BitOrder::kHighestFirst), ElementsAre(0xC1, 0x01));
  EXPECT_THAT(Bits(values, false, BitOrder::kHighestFirst), ElementsAre(0x81, 0x00));
  EXPECT_THAT(Bits(values, true, BitOrder::kLowestFirst), ElementsAre(0x83, 0x80));
  EXPECT_THAT(Bits({-0.0F, 1, 1, 1, 1, 1, 1, 1}, true, BitOrder::kHighestFirst), ElementsAre(0xFF));
}

/// The tensors of the suite's expected.safetensors: a JSON header, then their bytes.
class Tensors {
 public:
  explicit Tensors(const std::filesystem::path& file) : bytes_(*common::ReadFile(file)) {
    uint64_t header = 0;
    std::memcpy(&header, bytes_.data(), 8);
    entries_ = json::parse(bytes_.substr(8, header));
    data_ = 8 + header;
  }
  template <typename T>
  std::vector<T> Read(const std::string& name) const {
    const json& offsets = entries_.at(name).at("data_offsets");
    std::vector<T> values((offsets[1].get<std::size_t>() - offsets[0].get<std::size_t>()) /
                          sizeof(T));
    std::memcpy(values.data(), bytes_.data() + data_ + offsets[0].get<std::size_t>(),
                values.size() * sizeof(T));
    return values;
  }

 private:
  std::string bytes_;
  json entries_;
  std::size_t data_ = 0;
};

TEST(Quantize, AsPplxEmbedRoundsItsVectors) {
  const auto folder = std::filesystem::path(PARTERRE_TEST_DATA) / "models/pplx-embed";
  const Tensors tensors(folder / "expected.safetensors");
  const json cases = *common::ReadJsonFile(folder / "cases.json");
  int compared = 0;
  for (const json& input : cases["inputs"]) {
    const json& outputs = input["outputs"];
    const auto pooled = tensors.Read<float>(outputs["pooled"]);
    EXPECT_EQ(Tanh(pooled), tensors.Read<int8_t>(outputs["int8"])) << input["name"];
    EXPECT_EQ(Bits(pooled, true, BitOrder::kHighestFirst),
              tensors.Read<uint8_t>(outputs["ubinary"]))
        << input["name"];
    ++compared;
  }
  EXPECT_GT(compared, 5);
}

}  // namespace
}  // namespace ivy
