#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "common/check.h"
#include "fuzz_input.h"
#include "rose/core/bfloat16.h"
#include "rose/cpu/kernels.h"

/// Beside the fuzzing programs (CMakeLists.txt) kernels are compiled to do what is written, to the
/// bit. Else a compiler may join a product and a sum that are written apart where there is an
/// instruction for both, so that last bits differ: then only numbers of a usual size are compared,
/// and roughly.
#ifdef PARTERRE_KERNELS_TO_THE_BIT
inline constexpr bool kToTheBit = true;
#else
inline constexpr bool kToTheBit = false;
#endif
inline constexpr float kUsualSize = 8;

/// The same kernels twice: on vectors, and on plain loops of the same width.
struct KernelTwins {
  const rose::cpu::Kernels& vectors;
  const rose::cpu::Kernels& loops;

  /// Calls body(kernels, out) with both, `out` beginning as `start`, and CHECKs that they write the
  /// same there and nothing beside it.
  template <typename T, typename Body>
  void Compare(const std::vector<T>& start, const Body& body) const;
};

/// Numbers of an input: most drawn from a seed, some as their bits stand in the input. All finite
/// and within ± limit.
class KernelNumbers {
 public:
  KernelNumbers(FuzzInput& input, float limit)
      : input_(input),
        limit_(kToTheBit ? limit : std::min(limit, kUsualSize)),
        state_(input.Take<uint32_t>()),
        scale_(std::ldexp(1.0F, static_cast<int>(input.Number(-20, 20)))) {}

  template <typename T>
  std::vector<T> Make(int64_t n) {
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(n));
    for (int64_t i = 0; i < n; ++i) values.push_back(From<T>(scale_ * Drawn()));
    const int64_t placed = n > 0 ? input_.Number(0, kPlacedMax) : 0;
    for (int64_t i = 0; i < placed; ++i) {
      const auto place = static_cast<std::size_t>(input_.Number(0, n - 1));
      const auto value = input_.Take<float>();
      if (std::isfinite(value)) values[place] = From<T>(value);
    }
    return values;
  }

 private:
  static constexpr int64_t kPlacedMax = 8;

  /// −1 … 1.
  float Drawn() {
    state_ = state_ * 1664525U + 1013904223U;  // Numerical Recipes' generator.
    return static_cast<float>(state_ >> 8) / 8388608.0F - 1;
  }
  template <typename T>
  T From(float value) const {
    value = std::clamp(value, -limit_, limit_);
    if constexpr (std::is_same_v<T, float>) {
      return value;
    } else {
      return T::FromFloat(value);
    }
  }

  FuzzInput& input_;
  const float limit_;
  uint32_t state_;
  const float scale_;
};

namespace kernel_twins {

inline constexpr std::size_t kMargin = 24;
inline constexpr uint32_t kMarginBits = 0xA5A50000;  // A number of bfloat16's too.

inline float ToFloat(float value) { return value; }
inline float ToFloat(rose::BFloat16 value) { return value.ToFloat(); }

template <typename T>
constexpr T MarginOf() {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(kMarginBits);
  } else {
    return {static_cast<uint16_t>(kMarginBits >> 16)};
  }
}

inline bool Same(float value, float expected, float largest) {
  if (std::isnan(value) && std::isnan(expected)) return true;
  if (std::isinf(expected)) return value == expected;
  if (kToTheBit) return std::bit_cast<uint32_t>(value) == std::bit_cast<uint32_t>(expected);
  constexpr float kTolerance = 0.01F;
  return std::abs(value - expected) <= kTolerance * (1 + largest);
}

}  // namespace kernel_twins

template <typename T, typename Body>
void KernelTwins::Compare(const std::vector<T>& start, const Body& body) const {
  using kernel_twins::kMargin;
  using kernel_twins::ToFloat;
  std::vector<T> framed(start.size() + 2 * kMargin, kernel_twins::MarginOf<T>());
  std::copy(start.begin(), start.end(), framed.begin() + kMargin);
  std::vector<T> expected = framed, actual = framed;
  body(loops, expected.data() + kMargin);
  body(vectors, actual.data() + kMargin);
  float largest = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const float size = std::abs(ToFloat(expected[kMargin + i]));
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  for (std::size_t i = 0; i < framed.size(); ++i) {
    if (i < kMargin || i >= kMargin + start.size()) {
      for (const T written : {actual[i], expected[i]}) {
        CHECK(std::bit_cast<uint32_t>(ToFloat(written)) == kernel_twins::kMarginBits)
            << "written outside, at " << i;
      }
      continue;
    }
    CHECK(kernel_twins::Same(ToFloat(actual[i]), ToFloat(expected[i]), largest))
        << ToFloat(actual[i]) << " for " << ToFloat(expected[i]) << " at " << i - kMargin << " of "
        << start.size();
  }
}
