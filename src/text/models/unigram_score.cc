#include "text/models/unigram_score.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "common/check.h"

namespace text {
namespace {

constexpr int kPowersOfTen = 309;

std::array<double, kPowersOfTen> MakePowersOfTen() {
  std::array<double, kPowersOfTen> powers;
  double power = 1;
  for (int i = 0; i < kPowersOfTen; ++i) {
    char text[8] = "1e";
    const auto digits = std::to_chars(text + 2, text + sizeof(text), i);
    const auto read = std::from_chars(text, digits.ptr, power);
    CHECK(read.ec == std::errc());
    powers[static_cast<std::size_t>(i)] = power;
  }
  return powers;
}

double PowerOfTen(int exponent) {
  static const auto powers = MakePowersOfTen();
  return powers[static_cast<std::size_t>(exponent)];
}

}  // namespace

double ScoreFromShortestDigits(double score) {
  char text[32];
  const auto written =
      std::to_chars(text, text + sizeof(text), score, std::chars_format::scientific);
  CHECK(written.ec == std::errc());
  uint64_t digits = 0;
  int exponent = 0;
  bool fraction = false;
  const char* at = text + (text[0] == '-' ? 1 : 0);
  for (; *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    digits = digits * 10 + static_cast<uint64_t>(*at - '0');
    exponent -= fraction ? 1 : 0;
  }
  int power = 0;
  at += at[1] == '+' ? 2 : 1;
  const auto read = std::from_chars(at, written.ptr, power);
  CHECK(read.ec == std::errc());
  exponent += power;
  auto value = static_cast<double>(digits);
  for (; exponent <= -kPowersOfTen; exponent += kPowersOfTen - 1) value /= 1e308;
  value = exponent < 0 ? value / PowerOfTen(-exponent) : value * PowerOfTen(exponent);
  return text[0] == '-' ? -value : value;
}

}  // namespace text
