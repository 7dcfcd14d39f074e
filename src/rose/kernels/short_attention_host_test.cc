#include <gtest/gtest.h>

#include <array>

#include "rose/kernels/short_attention.h"

namespace rose::kernels {
namespace {

constexpr int kHopper = 90;

AttentionParams Params(int heads, int kv_heads, int head_dim) {
  return {.heads = heads, .kv_heads = kv_heads, .head_dim = head_dim, .scale = 0.1f};
}

alignas(16) std::array<float, 128> memory;

Tensor Vector(int64_t cols, int offset = 0) {
  return {.data = memory.data() + offset, .dtype = DType::kFloat32, .rows = 1, .cols = cols};
}

HeadNormRopeParams Turned(int head_dim) {
  return {.rope = {.table = Vector(head_dim), .head_dim = head_dim, .rotary_dim = head_dim}};
}

HeadNormRopeParams Normed(int head_dim) {
  HeadNormRopeParams heads = Turned(head_dim);
  heads.q_norm = heads.k_norm = {.kind = NormKind::kRms, .weight = Vector(head_dim)};
  return heads;
}

bool Supports(const AttentionParams& params, const HeadNormRopeParams& heads,
              DType dtype = DType::kBFloat16, int sm = kHopper) {
  return SupportsShortAttention(params, heads, dtype, sm);
}

TEST(SupportsShortAttention, HeadsOf64And128InBFloat16) {
  EXPECT_TRUE(Supports(Params(16, 8, 128), {}));
  EXPECT_TRUE(Supports(Params(12, 0, 64), {}));
  EXPECT_FALSE(Supports(Params(12, 12, 32), {}));
  EXPECT_FALSE(Supports(Params(12, 12, 80), {}));
  EXPECT_FALSE(Supports(Params(16, 8, 128), {}, DType::kFloat32));
  EXPECT_TRUE(Supports(Params(16, 8, 128), {}, DType::kBFloat16, 80));
  EXPECT_FALSE(Supports(Params(16, 8, 128), {}, DType::kBFloat16, 75));
}

TEST(SupportsShortAttention, NeitherWindowNorBias) {
  AttentionParams params = Params(12, 12, 64);
  params.window = 64;
  EXPECT_FALSE(Supports(params, {}));
  params.window = 0;
  params.position_bias = Vector(3);
  EXPECT_FALSE(Supports(params, {}));
}

TEST(SupportsShortAttention, WholeHeadsTurnedAndRootMeanSquareNorms) {
  const AttentionParams params = Params(16, 8, 128);
  EXPECT_TRUE(Supports(params, Turned(128)));
  EXPECT_TRUE(Supports(params, Normed(128)));
  HeadNormRopeParams heads = Normed(128);
  heads.rope.rotary_dim = 64;
  EXPECT_FALSE(Supports(params, heads));
  heads = Normed(128);
  heads.rope = {};
  EXPECT_FALSE(Supports(params, heads)) << "normed, not turned";
  heads = Normed(128);
  heads.k_norm.kind = NormKind::kLayer;
  EXPECT_FALSE(Supports(params, heads));
  heads = Normed(128);
  heads.q_norm.bias = Vector(128);
  EXPECT_FALSE(Supports(params, heads));
  heads = Normed(128);
  heads.q_norm.weight = {};
  EXPECT_FALSE(Supports(params, heads)) << "only keys normed";
  heads = Normed(128);
  heads.k_norm.weight = Vector(128, /*offset=*/1);
  EXPECT_FALSE(Supports(params, heads)) << "not aligned";
}

TEST(PrefersShortAttention, StepsOfFewTokensAndSequences) {
  const AttentionParams params = Params(16, 8, 128);
  const auto prefers = [&](int64_t tokens, int64_t sequences, int64_t longest) {
    return PrefersShortAttention(params, Normed(128), DType::kBFloat16,
                                 {.tokens = tokens, .sequences = sequences, .longest = longest},
                                 kHopper);
  };
  EXPECT_TRUE(prefers(32, 1, 32));
  EXPECT_TRUE(prefers(128, 4, 64));
  EXPECT_TRUE(prefers(512, 16, 32));
  EXPECT_FALSE(prefers(512, 1, 512)) << "one long sequence";
  EXPECT_FALSE(prefers(512, 4, 0)) << "perhaps a long one";
  EXPECT_FALSE(prefers(4096, 64, 64));
  EXPECT_FALSE(prefers(512, 512, 1));
  EXPECT_FALSE(PrefersShortAttention(Params(12, 12, 32), {}, DType::kBFloat16,
                                     {.tokens = 32, .sequences = 1}, kHopper));
}

TEST(ShortAttentionRows, MakesAsManyBlocksAsThereIsRoomFor) {
  const auto rows = [](const AttentionParams& params, int64_t tokens, int64_t sequences) {
    return ShortAttentionRows(params, {.tokens = tokens, .sequences = sequences});
  };
  EXPECT_EQ(rows(Params(16, 8, 128), 32, 1), 16);
  EXPECT_EQ(rows(Params(16, 8, 128), 128, 1), 32);
  EXPECT_EQ(rows(Params(16, 8, 128), 512, 1), 64);
  EXPECT_EQ(rows(Params(16, 16, 64), 32, 1), 16);
  EXPECT_EQ(rows(Params(16, 16, 64), 128, 1), 32);
  EXPECT_EQ(rows(Params(16, 16, 64), 512, 1), 64);
}

}  // namespace
}  // namespace rose::kernels
