#pragma once

#include <cstdint>
#include <span>

#include "rose/weights/host_tensor.h"

namespace rose {

/// Stored floats into memory of the caller, which holds exactly tensor.elements() of them. Exact.
void Widen(const HostTensor& tensor, std::span<float> out);

/// IEEE 754 binary16 to binary32, exactly.
float HalfToFloat(uint16_t half);

}  // namespace rose
