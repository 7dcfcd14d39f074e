#pragma once

#include <span>

#include "rose/core/bfloat16.h"
#include "rose/weights/host_tensor.h"

namespace rose {

// Stored floats (float32, float16, bfloat16; anything else is a CHECK) into memory of the caller,
// which holds exactly tensor.elements() of them. Narrowing rounds to nearest, ties to even;
// infinity and NaN stay what they are.

void ConvertTo(const HostTensor& tensor, std::span<float> out);
void ConvertTo(const HostTensor& tensor, std::span<BFloat16> out);

/// IEEE 754 binary16 to binary32, exactly.
float HalfToFloat(uint16_t half);

}  // namespace rose
