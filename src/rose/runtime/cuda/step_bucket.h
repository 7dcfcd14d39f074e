#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hub/outputs.h"

namespace rose {

/// The shape that a step is padded to, so that steps of any lengths share one graph.
struct StepBucket {
  int64_t tokens = 0;
  int64_t sequences = 0;  ///< Those behind the step's own are empty.
  int64_t longest = 0;    ///< No sequence of the step has more tokens.

  friend bool operator==(const StepBucket& a, const StepBucket& b) = default;
};

/// 16, 32, 48, then multiples of 64 up to 1024 and of 256 above: the padding is at most 25 % from
/// 256 tokens on and 6 % from 4097.
int64_t TokenBucket(int64_t tokens);

/// Powers of two.
int64_t SequenceBucket(int64_t sequences);

/// The bucket of packed sequences. Their longest is rounded up to a power of two of at least 32, or
/// to the tokens of the bucket if these are fewer.
StepBucket BucketOf(std::span<const int32_t> cu_seqlens);

/// What a graph was captured for.
struct GraphKey {
  StepBucket bucket;
  hub::Outputs outputs;

  friend bool operator==(const GraphKey& a, const GraphKey& b) = default;
};

struct GraphKeyHash {
  std::size_t operator()(const GraphKey& key) const;
};

}  // namespace rose
