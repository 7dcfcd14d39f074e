#include "ivy/api/render.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>

namespace ivy {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the bytes of a float go out as they are");

/// The longest shortest form of a float, "-1.1754944e-38", and a comma.
constexpr std::size_t kFloatBytesMax = 16;

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Two characters for each 12 bits, so that three bytes take two look-ups.
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {kAlphabet[i >> 6], kAlphabet[i & 63]};
  }
  return pairs;
}();

char* EncodeTriples(const unsigned char* bytes, std::size_t triples, char* out) {
  for (std::size_t i = 0; i < triples; ++i, bytes += 3) {
    const std::uint32_t bits =
        std::uint32_t{bytes[0]} << 16 | std::uint32_t{bytes[1]} << 8 | bytes[2];
    const auto& high = kPairs[bits >> 12];
    const auto& low = kPairs[bits & 4095];
    *out++ = high[0];
    *out++ = high[1];
    *out++ = low[0];
    *out++ = low[1];
  }
  return out;
}

}  // namespace

std::size_t FloatsBytesMax(std::size_t values) { return values * kFloatBytesMax + 2; }

std::size_t Base64Bytes(std::size_t values) { return (values * 4 + 2) / 3 * 4 + 2; }

void AppendFloats(std::span<const float> values, std::string& out) {
  const std::size_t begin = out.size();
  out.resize(begin + FloatsBytesMax(values.size()));
  char* at = out.data() + begin;
  *at++ = '[';
  for (const float value : values) {
    at = std::to_chars(at, at + kFloatBytesMax, value).ptr;
    *at++ = ',';
  }
  if (!values.empty()) --at;
  *at++ = ']';
  out.resize(static_cast<std::size_t>(at - out.data()));
}

void AppendBase64(std::span<const float> values, std::string& out) {
  const std::size_t begin = out.size();
  out.resize(begin + Base64Bytes(values.size()));
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  const std::size_t size = values.size_bytes(), rest = size % 3;
  char* at = out.data() + begin;
  *at++ = '"';
  at = EncodeTriples(bytes, size / 3, at);
  if (rest > 0) {
    const unsigned char last[3] = {bytes[size - rest], rest == 2 ? bytes[size - 1] : uint8_t{0}, 0};
    at = EncodeTriples(last, 1, at);
    at[-1] = '=';
    if (rest == 1) at[-2] = '=';
  }
  *at = '"';
}

}  // namespace ivy
