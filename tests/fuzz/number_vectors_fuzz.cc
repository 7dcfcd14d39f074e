#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/check.h"
#include "common/finite.h"
#include "fuzz_input.h"
#include "ivy/api/quantize.h"
#include "ivy/api/render.h"
#include "ivy/http/json_writer.h"
#include "scalar_utf8.h"

// What answers are made of beside plain loops: the search for numbers that are not finite, floats
// and base64 as they are written, bits and bytes that vectors are rounded to, JSON strings.

namespace {

std::vector<float> Floats(std::string_view bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

void CheckFinite(const std::vector<float>& values) {
  for (std::size_t begin = 0; begin <= std::min<std::size_t>(values.size(), 16); ++begin) {
    const std::span rest(values.data() + begin, values.size() - begin);
    const float* expected = nullptr;
    for (const float& value : rest) {
      if (std::isfinite(value)) continue;
      expected = &value;
      break;
    }
    CHECK(common::FindNonFinite(rest) == expected) << begin;
  }
}

/// Read back by another reader, the same to the bit.
void CheckFloats(const std::vector<float>& values) {
  std::string text;
  ivy::AppendFloats(values, text);
  CHECK(text.size() <= ivy::FloatsBytesMax(values.size()));
  CHECK(nlohmann::json::accept(text)) << text;
  const char* at = text.c_str();
  for (const float value : values) {
    char* end = nullptr;
    const float read = std::strtof(at + 1, &end);  // Behind '[' or ','.
    CHECK(std::bit_cast<uint32_t>(read) == std::bit_cast<uint32_t>(value)) << text;
    at = end;
  }
  CHECK(values.empty() || std::string_view(at) == "]") << text;
}

std::string PlainBase64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = std::min<std::size_t>(bytes.size() - at, 3);
    uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < left ? static_cast<unsigned char>(bytes[at + i]) : 0);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= left ? kDigits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

void CheckBase64(std::string_view bytes) {
  std::string text;
  ivy::AppendBase64({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, text);
  CHECK(text == '"' + PlainBase64(bytes) + '"') << text;
  CHECK(text.size() <= ivy::Base64Bytes(bytes.size()));
}

void CheckBits(std::vector<float> values) {
  values.resize(values.size() / 8 * 8);
  std::vector<uint8_t> highest(values.size() / 8), lowest(values.size() / 8);
  for (const bool zero_is_set : {false, true}) {
    ivy::PackBits(values, zero_is_set, ivy::BitOrder::kHighestFirst, highest);
    ivy::PackBits(values, zero_is_set, ivy::BitOrder::kLowestFirst, lowest);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool set = values[i] > 0 || (zero_is_set && values[i] == 0);
      CHECK((highest[i / 8] >> (7 - i % 8) & 1) == static_cast<int>(set)) << i;
      CHECK((lowest[i / 8] >> i % 8 & 1) == static_cast<int>(set)) << i;
    }
  }
}

void CheckTanh(const std::vector<float>& values) {
  std::vector<int8_t> rounded(values.size());
  ivy::QuantizeTanh(values, rounded);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double exact = std::tanh(double{values[i]}) * 127;
    CHECK(std::abs(rounded[i] - exact) <= 0.50001) << values[i];
  }
}

void CheckRanges(const std::vector<float>& values) {
  ivy::ValueRanges ranges;
  for (const float value : values) {
    const float bound = std::min(std::abs(value), 1e30F);
    ranges.min.push_back(-bound - 1);
    ranges.max.push_back(bound / 2 + 1);
  }
  std::vector<int8_t> signed_bytes(values.size());
  std::vector<uint8_t> bytes(values.size());
  ivy::QuantizeRanges(values, ranges, signed_bytes);
  ivy::QuantizeRanges(values, ranges, bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double width = double{ranges.max[i]} - ranges.min[i];
    const double steps = std::clamp((double{values[i]} - ranges.min[i]) / width * 255, 0.0, 255.0);
    CHECK(std::abs(bytes[i] - steps) <= 1.001) << values[i];
    CHECK(std::abs(signed_bytes[i] + 128 - steps) <= 1.001) << values[i];
  }
}

/// What another reader reads is the text, with U+FFFD where bytes are no UTF-8.
void CheckString(std::string_view bytes) {
  std::string json, expected;
  ivy::AppendJsonString(bytes, json);
  const bool valid = scalar::IsValidUtf8(bytes);
  for (const char c : bytes) {
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    expected += ascii || valid ? std::string(1, c) : "\uFFFD";
  }
  CHECK(nlohmann::json::parse(json) == expected) << json;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::vector<float> values = Floats(bytes);
  CheckFinite(values);
  for (float& value : values) {
    if (!std::isfinite(value)) value = 0;
  }
  CheckFloats(values);
  CheckBase64(bytes);
  CheckBits(values);
  CheckTanh(values);
  CheckRanges(values);
  CheckString(bytes);
  return 0;
}
