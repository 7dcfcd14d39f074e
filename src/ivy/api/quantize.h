#pragma once

#include <cstdint>
#include <span>

#include "ivy/job/value_ranges.h"

namespace ivy {

// Dense vectors in fewer bits. Values are finite; `out` has one element for each of them, or one
// for each 8 of PackBits.

/// pplx-embed's: tanh(x) · 127, rounded half to even. Eslami et al., arXiv:2602.11151, and the
/// published st_quantize.py.
void QuantizeTanh(std::span<const float> values, std::span<int8_t> out);

/// As sentence-transformers scales by a collection's ranges: (x − min) / ((max − min) / 255), less
/// 128 for int8, the fraction dropped. Values outside their range take its end. `ranges` has at
/// least as many components as there are values.
void QuantizeRanges(std::span<const float> values, const ValueRanges& ranges,
                    std::span<int8_t> out);
void QuantizeRanges(std::span<const float> values, const ValueRanges& ranges,
                    std::span<uint8_t> out);

/// Which of the 8 bits of a byte is its first value's.
enum class BitOrder { kHighestFirst, kLowestFirst };

/// A bit for each value: whether it is above 0, or not below it if `zero_is_set`. The number of
/// values divides by 8.
void PackBits(std::span<const float> values, bool zero_is_set, BitOrder order,
              std::span<uint8_t> out);

}  // namespace ivy
