#include "rose/runtime/cuda/step_bucket.h"

#include <algorithm>
#include <bit>

#include "common/check.h"

namespace rose {
namespace {

int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

int64_t PowerOfTwo(int64_t value) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(value)));
}

}  // namespace

int64_t TokenBucket(int64_t tokens) {
  if (tokens <= 48) return RoundUp(tokens, 16);
  return RoundUp(tokens, tokens <= 1024 ? 64 : 256);
}

int64_t SequenceBucket(int64_t sequences) { return PowerOfTwo(sequences); }

StepBucket BucketOf(std::span<const int32_t> cu_seqlens) {
  CHECK(cu_seqlens.size() > 1);
  constexpr int64_t kLongestMin = 32;
  int64_t longest = kLongestMin;
  for (std::size_t s = 0; s + 1 < cu_seqlens.size(); ++s) {
    longest = std::max<int64_t>(longest, cu_seqlens[s + 1] - cu_seqlens[s]);
  }
  const int64_t tokens = TokenBucket(cu_seqlens.back());
  return {.tokens = tokens,
          .sequences = SequenceBucket(static_cast<int64_t>(cu_seqlens.size()) - 1),
          .longest = std::min(PowerOfTwo(longest), tokens)};
}

std::size_t GraphKeyHash::operator()(const GraphKey& key) const {
  std::size_t hash = 0;
  for (const hub::Output output : hub::kAllOutputs) hash = 2 * hash + key.outputs.Has(output);
  for (const int64_t value : {key.bucket.tokens, key.bucket.sequences, key.bucket.longest}) {
    hash =
        (hash ^ static_cast<std::size_t>(value)) * 0x9E3779B97F4A7C15u;  // 2⁶⁴ / the golden ratio
  }
  return hash;
}

}  // namespace rose
