#include "ivy/api/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ivy {
namespace {

/// Steps from the least value, of which there are 255; in float32, as the reference computes them.
float StepsAbove(const ValueRanges& ranges, std::size_t i, float value) {
  return (value - ranges.min[i]) / ((ranges.max[i] - ranges.min[i]) / 255.0F);
}

template <typename T>
T Truncated(float value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(
      std::clamp(value, static_cast<float>(Limits::min()), static_cast<float>(Limits::max())));
}

}  // namespace

void QuantizeTanh(std::span<const float> values, std::span<int8_t> out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    // nearbyint rounds half to even unless somebody changes the thread's rounding mode.
    out[i] = static_cast<int8_t>(std::nearbyint(std::tanh(values[i]) * 127.0F));
  }
}

void QuantizeRanges(std::span<const float> values, const ValueRanges& ranges,
                    std::span<int8_t> out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i] = Truncated<int8_t>(StepsAbove(ranges, i, values[i]) - 128.0F);
  }
}

void QuantizeRanges(std::span<const float> values, const ValueRanges& ranges,
                    std::span<uint8_t> out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i] = Truncated<uint8_t>(StepsAbove(ranges, i, values[i]));
  }
}

void PackBits(std::span<const float> values, bool zero_is_set, BitOrder order,
              std::span<uint8_t> out) {
  const unsigned flip = order == BitOrder::kHighestFirst ? 7 : 0;
  for (std::size_t byte = 0; byte < out.size(); ++byte) {
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; ++i) {
      const float value = values[byte * 8 + i];
      const bool set = zero_is_set ? value >= 0 : value > 0;
      bits |= static_cast<unsigned>(set) << (i ^ flip);
    }
    out[byte] = static_cast<uint8_t>(bits);
  }
}

}  // namespace ivy
