#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "rose/core/bfloat16.h"

namespace rose::kernels {

/// Normally distributed numbers for tests; other ones at each call.
class RandomNumbers {
 public:
  std::vector<float> Floats(int64_t n, float mean, float deviation) {
    std::normal_distribution<float> normal(mean, deviation);
    std::vector<float> values(static_cast<std::size_t>(n));
    for (float& value : values) value = normal(engine_);
    return values;
  }
  std::vector<BFloat16> Rounded(int64_t n, float mean, float deviation) {
    std::vector<BFloat16> values;
    for (const float value : Floats(n, mean, deviation)) {
      values.push_back(BFloat16::FromFloat(value));
    }
    return values;
  }

 private:
  std::minstd_rand engine_{20261130};
};

}  // namespace rose::kernels
