#include "text/unicode/utf8.h"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace text {
namespace {

constexpr std::size_t kStep = 16;

__m128i Load(const char* bytes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)); }

/// How many bytes of `text` a rule is true of: `vector_rule` gives all bits or none for each of 16
/// bytes, `byte_rule` says the same of one.
template <typename VectorRule, typename ByteRule>
std::size_t Count(std::string_view text, VectorRule vector_rule, ByteRule byte_rule) {
  constexpr std::size_t kStepsMax = 255;  // So many additions of 1 fit a byte.
  std::size_t count = 0, at = 0;
  while (text.size() - at >= kStep) {
    const std::size_t end = at + std::min((text.size() - at) / kStep, kStepsMax) * kStep;
    __m128i counts = _mm_setzero_si128();
    for (; at < end; at += kStep) {
      counts = _mm_sub_epi8(counts, vector_rule(Load(text.data() + at)));
    }
    const __m128i sums = _mm_sad_epu8(counts, _mm_setzero_si128());
    count += static_cast<std::size_t>(_mm_cvtsi128_si64(sums)) +
             static_cast<std::size_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
  }
  for (; at < text.size(); ++at) count += byte_rule(text[at]) ? 1 : 0;
  return count;
}

/// What stands at a place that is no ASCII: the first `size` bytes of a sequence, all of it if
/// `whole`; size 0: a byte that begins none.
struct Sequence {
  std::size_t size = 0;
  bool whole = false;
};

/// The bounds of the second byte are those of table 3-7 of the Unicode Standard.
Sequence SequenceAt(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  const unsigned lead = byte(0);
  const std::size_t size = lead < 0xC2   ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                           : lead < 0xF5 ? 4
                                         : 0;
  if (size == 0) return {};
  const std::size_t there = std::min(size, bytes.size() - at);
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (there < 2 || byte(1) < low || byte(1) > high) return {1};
  for (std::size_t i = 2; i < there; ++i) {
    if (!ContinuesCharacter(byte(i))) return {i};
  }
  return {there, there == size};
}

/// Bytes of the sequence at `at` if it is one of two or three bytes whose first byte sets no
/// narrower bounds to the second; else 0.
std::size_t CommonSequenceSize(std::string_view bytes, std::size_t at) {
  if (bytes.size() - at < 3) return 0;
  const auto lead = static_cast<unsigned char>(bytes[at]);
  const auto continues = [&](std::size_t i) { return ContinuesCharacter(bytes[at + i]); };
  if (lead >= 0xC2 && lead < 0xE0) return continues(1) ? 2 : 0;
  const bool of_three = lead > 0xE0 && lead < 0xF0 && lead != 0xED;
  return of_three && continues(1) && continues(2) ? 3 : 0;
}

}  // namespace

std::size_t AsciiEnd(std::string_view text, std::size_t at) {
  for (; text.size() - at >= kStep; at += kStep) {
    const auto others = static_cast<unsigned>(_mm_movemask_epi8(Load(text.data() + at)));
    if (others != 0) return at + static_cast<std::size_t>(std::countr_zero(others));
  }
  while (at < text.size() && IsAscii(text[at])) ++at;
  return at;
}

bool IsValidUtf8(std::string_view bytes) {
  std::size_t at = 0;
  while (true) {
    at = AsciiEnd(bytes, at);
    while (at < bytes.size() && !IsAscii(bytes[at])) {
      if (const std::size_t size = CommonSequenceSize(bytes, at)) {
        at += size;
        continue;
      }
      const Sequence sequence = SequenceAt(bytes, at);
      if (!sequence.whole) return false;
      at += sequence.size;
    }
    if (at == bytes.size()) return true;
  }
}

// The bytes that continue a sequence are the smallest of all, taken as signed numbers.
std::size_t CountCodePoints(std::string_view utf8) {
  constexpr char kLastContinuing = '\xBF';
  return Count(
      utf8, [](__m128i bytes) { return _mm_cmpgt_epi8(bytes, _mm_set1_epi8(kLastContinuing)); },
      [](char byte) {
        return static_cast<signed char>(byte) > static_cast<signed char>(kLastContinuing);
      });
}

std::size_t CountBytes(std::string_view text, char byte) {
  return Count(
      text, [byte](__m128i bytes) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)); },
      [byte](char other) { return other == byte; });
}

std::size_t LastCodePointSize(std::string_view utf8) {
  std::size_t size = 1;
  while ((utf8[utf8.size() - size] & 0xC0) == 0x80) ++size;
  return size;
}

char32_t LastCodePoint(std::string_view utf8) {
  std::size_t at = utf8.size() - LastCodePointSize(utf8);
  return DecodeUtf8(utf8, at);
}

void AppendUtf8(char32_t c, std::string& out) {
  const auto trailing = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    const char bytes[] = {static_cast<char>(0xC0 | c >> 6), trailing(0)};
    out.append(bytes, sizeof(bytes));
  } else if (c < 0x10000) {
    const char bytes[] = {static_cast<char>(0xE0 | c >> 12), trailing(6), trailing(0)};
    out.append(bytes, sizeof(bytes));
  } else {
    const char bytes[] = {static_cast<char>(0xF0 | c >> 18), trailing(12), trailing(6),
                          trailing(0)};
    out.append(bytes, sizeof(bytes));
  }
}

void AppendValidUtf8(std::string_view bytes, std::string& out) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t begin = at;
    at = AsciiEnd(bytes, at);
    Sequence sequence{0, true};
    while (sequence.whole && at < bytes.size() && !IsAscii(bytes[at])) {
      sequence = SequenceAt(bytes, at);
      if (sequence.whole) at += sequence.size;
    }
    out.append(bytes, begin, at - begin);
    if (sequence.whole) continue;
    out += "\uFFFD";
    at += std::max(sequence.size, std::size_t{1});
  }
}

}  // namespace text
