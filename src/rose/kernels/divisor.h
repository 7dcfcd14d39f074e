#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace rose::kernels {

/// Division by a number that is known before the launch: a product and a shift, where the device
/// would take some twenty instructions. For numerators below 2³¹ (Granlund and Montgomery, 1994).
class Divisor {
 public:
  explicit Divisor(uint32_t divisor) : divisor_(divisor) {
    uint32_t bits = 0;
    while ((uint64_t{1} << bits) < divisor) ++bits;
    // With 31 + bits the rounding up of the factor is too small to reach the next quotient.
    shift_ = 31 + bits;
    factor_ = static_cast<uint32_t>(((uint64_t{1} << shift_) + divisor - 1) / divisor);
  }

  __host__ __device__ uint32_t Quotient(uint32_t n) const {
    return static_cast<uint32_t>((uint64_t{n} * factor_) >> shift_);
  }
  __host__ __device__ uint32_t divisor() const { return divisor_; }

 private:
  uint32_t divisor_;
  uint32_t factor_;
  uint32_t shift_;
};

}  // namespace rose::kernels
