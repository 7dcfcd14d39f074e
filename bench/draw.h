#pragma once

#include <cstdint>
#include <random>

namespace bench {

/// Uniform in [first, end). The standard fixes what the engine yields, but not what its
/// distributions make of it: these are the same on every machine.
inline int Draw(std::mt19937_64& random, int first, int end) {
  return first + static_cast<int>(random() % static_cast<uint64_t>(end - first));
}

/// Uniform in (0, 1].
inline double DrawShare(std::mt19937_64& random) {
  constexpr double kSteps = 1ULL << 53;
  return (static_cast<double>(random() >> 11) + 1) / kSteps;
}

}  // namespace bench
