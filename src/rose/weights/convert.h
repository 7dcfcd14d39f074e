#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rose/core/bfloat16.h"
#include "rose/weights/host_tensor.h"

namespace rose {

/// Stored floats of `dtype`, at any address, into memory of the caller, which holds as many. Exact.
void Convert(DType dtype, std::span<const std::byte> bytes, float* out);
/// The same, rounded to nearest even where a value is none of bfloat16.
void Convert(DType dtype, std::span<const std::byte> bytes, BFloat16* out);

/// Whether none of the stored floats of `dtype` is infinite or NaN.
bool AllFinite(DType dtype, std::span<const std::byte> bytes);

/// A whole tensor into exactly tensor.elements() floats.
void Widen(const HostTensor& tensor, std::span<float> out);

/// IEEE 754 binary16 to binary32, exactly.
float HalfToFloat(uint16_t half);

}  // namespace rose
