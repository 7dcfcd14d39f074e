#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// encoding_format and output_dtype of /v1/embeddings, vectors of 16 components.
class Formats : public GatewayTest {
 protected:
  Formats() { model.client.info().dimension = 16; }

  json Embed(json fields) {
    fields["input"] = "a";
    return Call("/v1/embeddings", fields)["data"][0]["embedding"];
  }
  std::string Refused(json fields) {
    fields["input"] = "a";
    return Refusal("/v1/embeddings", fields, 400);
  }
  std::vector<float> Vector(bool normalize = true) const {
    return model.client.VectorOf({1, FakeTokenizer::IdOf("a"), 2}, normalize);
  }
  /// Bits of the first `count` components, the first one highest.
  std::vector<int> Bits(std::size_t count = 16) const {
    std::vector<int> bytes;
    const std::vector<float> vector = Vector();
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 8 == 0) bytes.push_back(0);
      bytes.back() = bytes.back() << 1 | (vector[i] > 0 ? 1 : 0);
    }
    return bytes;
  }
  std::vector<int> Tanh() const {
    std::vector<int> rounded;
    for (const float value : Vector(false)) {
      rounded.push_back(static_cast<int>(std::nearbyint(std::tanh(value) * 127.0F)));
    }
    return rounded;
  }
  static std::vector<uint8_t> FromBase64(const std::string& text) {
    static const std::string alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<uint8_t> bytes;
    uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
      if (c == '=') break;
      bits = bits << 6 | static_cast<uint32_t>(alphabet.find(c));
      if ((count += 6) >= 8) bytes.push_back(static_cast<uint8_t>(bits >> (count -= 8)));
    }
    return bytes;
  }
  static std::vector<int> Integers(const std::string& base64) {
    std::vector<int> integers;
    for (const uint8_t byte : FromBase64(base64)) integers.push_back(static_cast<int8_t>(byte));
    return integers;
  }
};

TEST_F(Formats, PackedBitsOfAnyModel) {
  Start();
  EXPECT_EQ(Embed({{"output_dtype", "ubinary"}}).get<std::vector<int>>(), Bits());
  std::vector<int> less;
  for (const int byte : Bits()) less.push_back(byte - 128);
  EXPECT_EQ(Embed({{"output_dtype", "binary"}}).get<std::vector<int>>(), less);
  const json packed = Embed({{"output_dtype", "binary"}, {"encoding_format", "base64"}});
  EXPECT_EQ(Integers(packed), less);
  std::vector<int> mirrored;
  for (const uint8_t byte : FromBase64(Embed({{"encoding_format", "base64_binary"}}))) {
    int bits = 0;
    for (int i = 0; i < 8; ++i) bits |= (byte >> i & 1) << (7 - i);
    mirrored.push_back(bits);
  }
  EXPECT_EQ(mirrored, Bits());
}

// Bug 54: dimensions counts components, before they are packed.
TEST_F(Formats, Bug54_DimensionsOfPackedForms) {
  Start();
  EXPECT_EQ(Embed({{"output_dtype", "ubinary"}, {"dimensions", 8}}).get<std::vector<int>>(),
            Bits(8));
  for (const json& fields : {json{{"output_dtype", "ubinary"}, {"dimensions", 12}},
                             json{{"output_dtype", "binary"}, {"dimensions", 1}},
                             json{{"encoding_format", "base64_binary"}, {"dimensions", 9}}}) {
    EXPECT_THAT(Refused(fields), HasSubstr("dimensions: 8 components go into a byte"));
  }
}

// Bug 47: an unknown name is refused, null and absent are floats.
TEST_F(Formats, Bug47_NamesAndWhatDoesNotGoTogether) {
  Start();
  EXPECT_EQ(Embed({{"encoding_format", nullptr}}), Embed({{"output_dtype", "float"}}));
  EXPECT_EQ(FromBase64(Embed({{"output_dtype", "float"}, {"encoding_format", "base64"}})).size(),
            64U);
  EXPECT_THAT(Refused({{"encoding_format", "hex"}}), HasSubstr("encoding_format: expected"));
  EXPECT_THAT(Refused({{"output_dtype", "int4"}}), HasSubstr("output_dtype: expected"));
  EXPECT_THAT(Refused({{"output_dtype", "int8"}, {"encoding_format", "base64_int8"}}),
              HasSubstr("output_dtype: does not go with encoding_format base64_int8"));
}

TEST_F(Formats, EightBitsNeedTheRangesOfACollection) {
  Start();
  EXPECT_THAT(Refused({{"output_dtype", "int8"}}), HasSubstr("output_dtype: 8-bit vectors"));
  EXPECT_THAT(Refused({{"output_dtype", "uint8"}}), HasSubstr("--int8-ranges FILE"));
  EXPECT_THAT(Refused({{"encoding_format", "base64_int8"}}), HasSubstr("encoding_format: 8-bit"));
}

TEST_F(Formats, EightBitsByRanges) {
  ServedModel served = model.Served();
  served.int8_ranges = {.min = std::vector<float>(16, -0.25F),
                        .max = std::vector<float>(16, 0.25F)};
  Start({served});
  std::vector<int> eight, unsigned_eight;
  for (const float value : Vector()) {
    const float steps = (value + 0.25F) / (0.5F / 255);
    eight.push_back(static_cast<int>(std::clamp(steps - 128, -128.0F, 127.0F)));
    unsigned_eight.push_back(static_cast<int>(std::clamp(steps, 0.0F, 255.0F)));
  }
  EXPECT_EQ(Embed({{"output_dtype", "int8"}}).get<std::vector<int>>(), eight);
  EXPECT_EQ(Embed({{"output_dtype", "uint8"}}).get<std::vector<int>>(), unsigned_eight);
  EXPECT_EQ(Integers(Embed({{"encoding_format", "base64_int8"}})), eight);
  EXPECT_THAT(Refused({{"output_dtype", "int8"}, {"dimensions", 8}}),
              HasSubstr("dimensions: 8-bit vectors that are normalised must be whole"));
  EXPECT_EQ(Embed({{"output_dtype", "int8"}, {"dimensions", 8}, {"normalize", false}}).size(), 8);
}

TEST_F(Formats, RangesMustFitTheModel) {
  ServedModel served = model.Served();
  served.int8_ranges = {.min = {0}, .max = {1}};
  const auto refused = Gateway::Create(options, {served}, metrics);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("--int8-ranges: expected 16 ranges, one for each component, got 1"));
}

TEST_F(Formats, ModelThatRoundsItsOwnVectors) {
  model.folder.quantization = hub::Quantization::kTanhInt8;
  model.folder.normalize = false;
  Start();
  EXPECT_EQ(Embed({{"output_dtype", "int8"}}).get<std::vector<int>>(), Tanh());
  EXPECT_EQ(Integers(Embed({{"encoding_format", "base64_int8"}})), Tanh());
  std::vector<int> cut = Tanh();
  cut.resize(5);
  EXPECT_EQ(Embed({{"output_dtype", "int8"}, {"dimensions", 5}}).get<std::vector<int>>(), cut);
  EXPECT_EQ(Embed({{"output_dtype", "ubinary"}}).get<std::vector<int>>(), Bits());
  EXPECT_EQ(Embed(json::object()).get<std::vector<float>>(), Vector(false));
  EXPECT_THAT(Refused({{"output_dtype", "uint8"}}), HasSubstr("rounds its vectors to int8"));
  EXPECT_THAT(Refused({{"output_dtype", "int8"}, {"normalize", true}}),
              HasSubstr("normalize: this model's rounded vectors are not normalised"));
  EXPECT_EQ(json::parse(Ask(Get("/info")).body)["quantization"], "tanh_int8");
}

}  // namespace
}  // namespace ivy
