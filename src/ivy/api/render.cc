#include "ivy/api/render.h"

#include <array>
#include <bit>
#include <charconv>

namespace ivy {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the bytes of a float go out as they are");

/// The longest shortest form of a float, "-1.1754944e-38", and a comma.
constexpr std::size_t kFloatBytesMax = 16;

/// "-128" and a comma.
constexpr std::size_t kIntegerBytesMax = 5;

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Two characters for each 12 bits, so that three bytes take two look-ups.
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {kAlphabet[i >> 6], kAlphabet[i & 63]};
  }
  return pairs;
}();

char* EncodeTriples(const uint8_t* bytes, std::size_t triples, char* out) {
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

/// Appends the numbers as a JSON list. `most`: bytes of one number and a comma.
template <typename T>
void AppendList(std::span<const T> values, std::size_t most, std::string& out) {
  const std::size_t begin = out.size();
  out.resize(begin + values.size() * most + 2);
  char* at = out.data() + begin;
  *at++ = '[';
  for (const T value : values) {
    at = std::to_chars(at, at + most, value).ptr;
    *at++ = ',';
  }
  if (!values.empty()) --at;
  *at++ = ']';
  out.resize(static_cast<std::size_t>(at - out.data()));
}

template <typename T>
void AppendNumber(T value, std::string& out) {
  char digits[kFloatBytesMax];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

}  // namespace

std::size_t FloatsBytesMax(std::size_t values) { return values * kFloatBytesMax + 2; }

std::size_t IntegersBytesMax(std::size_t values) { return values * kIntegerBytesMax + 2; }

std::size_t Base64Bytes(std::size_t bytes) { return (bytes + 2) / 3 * 4 + 2; }

void AppendFloats(std::span<const float> values, std::string& out) {
  AppendList(values, kFloatBytesMax, out);
}

void AppendIntegers(std::span<const int8_t> values, std::string& out) {
  AppendList(values, kIntegerBytesMax, out);
}

void AppendIntegers(std::span<const uint8_t> values, std::string& out) {
  AppendList(values, kIntegerBytesMax, out);
}

void AppendRows(const Answer::Vectors& rows, std::string& out) {
  out += '[';
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (row > 0) out += ',';
    AppendFloats(rows.row(row), out);
  }
  out += ']';
}

void AppendSparse(const Answer::SparseVector& vector, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < vector.ids.size(); ++i) {
    out += i > 0 ? R"(,{"index":)" : R"({"index":)";
    AppendNumber(vector.ids[i], out);
    out += R"(,"value":)";
    AppendNumber(vector.weights[i], out);
    out += '}';
  }
  out += ']';
}

std::span<const uint8_t> BytesOf(std::span<const float> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()};
}

void AppendBase64(std::span<const uint8_t> bytes, std::string& out) {
  const std::size_t begin = out.size();
  out.resize(begin + Base64Bytes(bytes.size()));
  const std::size_t size = bytes.size(), rest = size % 3;
  char* at = out.data() + begin;
  *at++ = '"';
  at = EncodeTriples(bytes.data(), size / 3, at);
  if (rest > 0) {
    const uint8_t last[3] = {bytes[size - rest], rest == 2 ? bytes[size - 1] : uint8_t{0}, 0};
    at = EncodeTriples(last, 1, at);
    at[-1] = '=';
    if (rest == 1) at[-2] = '=';
  }
  *at = '"';
}

}  // namespace ivy
