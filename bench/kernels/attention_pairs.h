#pragma once

#include <algorithm>
#include <cstdint>

#include "rose/core/ops.h"

namespace bench {

/// Pairs of a query and a key that it sees, in a sequence of `tokens`.
inline int64_t AttentionPairs(const rose::AttentionParams& params, int64_t tokens) {
  const bool causal = params.mask == rose::AttentionMask::kCausal;
  const int64_t window = params.window == 0 ? tokens : params.window;
  int64_t pairs = 0;
  for (int64_t i = 0; i < tokens; ++i) {
    pairs += 1 + std::min(i, causal ? window - 1 : window);
    if (!causal) pairs += std::min(tokens - 1 - i, window);
  }
  return pairs;
}

}  // namespace bench
