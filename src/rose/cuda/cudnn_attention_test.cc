#include "rose/cuda/cudnn_attention.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <set>

// The choices that need no GPU; cudnn_attention_gpu_test.cc runs the kernels.

namespace rose::cuda {
namespace {

TEST(CudnnAttention, TakesPlansForPowersOfTwo) {
  const auto bound = [](int64_t tokens, int64_t longest) {
    return CudnnAttention::LongestBound({.tokens = tokens, .sequences = 1, .longest = longest});
  };
  EXPECT_EQ(bound(16, 16), 128);
  EXPECT_EQ(bound(4096, 128), 128);
  EXPECT_EQ(bound(4096, 129), 256);
  EXPECT_EQ(bound(12800, 512), 512);
  EXPECT_EQ(bound(4352, 4352), 8192);
  // Any lengths may stand in a step whose longest is not known.
  EXPECT_EQ(bound(16, 0), 128);
  EXPECT_EQ(bound(1000, 0), 1024);
  EXPECT_EQ(bound(51200, 0), 65536);
}

TEST(CudnnAttention, BoundsHoldEverySequenceAndAreFew) {
  std::set<int64_t> bounds;
  for (int64_t longest = 1; longest <= 32768; ++longest) {
    const int64_t bound = CudnnAttention::LongestBound({.tokens = 65536, .longest = longest});
    ASSERT_GE(bound, longest);
    ASSERT_TRUE(std::has_single_bit(static_cast<uint64_t>(bound)));
    bounds.insert(bound);
  }
  EXPECT_EQ(bounds.size(), 9u);  // 128 … 32768
}

TEST(CudnnAttention, SaysWhatItComputes) {
  const kernels::AttentionShape largest = {.tokens = 65536, .sequences = 1024};
  const auto supports = [&](const AttentionParams& params, DType dtype = DType::kBFloat16) {
    return CudnnAttention::Supports(params, dtype, largest);
  };
  const auto causal = AttentionMask::kCausal;
  EXPECT_TRUE(supports({.heads = 16, .head_dim = 64}));
  EXPECT_TRUE(supports({.heads = 12, .kv_heads = 4, .head_dim = 64, .mask = causal}));
  EXPECT_TRUE(supports({.heads = 16, .kv_heads = 8, .head_dim = 128, .mask = causal}));

  EXPECT_FALSE(supports({.heads = 16, .head_dim = 64}, DType::kFloat32));
  EXPECT_FALSE(supports({.heads = 12, .head_dim = 32}));
  EXPECT_FALSE(supports({.heads = 16, .head_dim = 64, .window = 64}));
  float bias = 0;
  EXPECT_FALSE(supports({.heads = 16, .head_dim = 64, .position_bias = {.data = &bias}}));
  const PagedKeys pages;
  EXPECT_FALSE(supports({.heads = 16, .head_dim = 64, .paged_keys = &pages}));
  // 65536 rows of 32768 columns have 2³¹ elements.
  EXPECT_FALSE(supports({.heads = 128, .kv_heads = 64, .head_dim = 128}));
  EXPECT_TRUE(supports({.heads = 64, .kv_heads = 32, .head_dim = 128}));
}

}  // namespace
}  // namespace rose::cuda
