#pragma once

#include "bench/kernels/timing.h"

namespace bench {

template <typename V>
double FmaRate() {
  constexpr int kSums = 12, kSteps = 100'000;  // Enough sums in flight to hide an FMA's latency.
  float total = 0;                             // So that the loop is not left out.
  const double seconds = BestSeconds([&] {
    V sums[kSums];
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = V::Set(total + static_cast<float>(i));
    const V factor = V::Set(0.999f), term = V::Set(0.001f);
    for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 12
      for (V& sum : sums) sum = V::MulAdd(sum, factor, term);
    }
    for (const V& sum : sums) total += sum.Sum();
  });
  return 2.0 * kSums * kSteps * V::kWidth / seconds * 1e-9;
}

}  // namespace bench
