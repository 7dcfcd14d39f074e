#include "rose/core/reference_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <vector>

#include "rose/core/element.h"
#include "rose/core/reference_backend.h"

namespace rose {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

std::vector<float> Values(const Tensor& tensor) {
  std::vector<float> values;
  for (int64_t i = 0; i < tensor.elements(); ++i) values.push_back(GetElement(tensor, i));
  return values;
}

class ReferenceOpsTest : public ::testing::Test {
 protected:
  Tensor Matrix(int64_t rows, int64_t cols, std::initializer_list<float> values) {
    const Tensor tensor = ops_.Scratch(rows, cols);
    int64_t i = 0;
    for (float value : values) SetElement(tensor, i++, value);
    return tensor;
  }

  std::vector<float> Pooled(PoolingMode mode, std::initializer_list<int32_t> skip) {
    const Tensor out = ops_.Scratch(cu_seqlens_.size() - 1, x_.cols);
    ops_.Pool(mode, x_, BatchShape::OfHost(cu_seqlens_),
              std::span<const int32_t>(skip.begin(), skip.size()), 0, out);
    return Values(out);
  }

  ReferenceOps ops_{DType::kFloat32, 1 << 16};
  ReferenceBackend backend_{DType::kFloat32};
  // Two sequences: three tokens and one.
  const std::vector<int32_t> cu_seqlens_ = {0, 3, 4};
  Tensor x_ = Matrix(4, 2, {1, -1, 2, -5, 6, -3, 7, 8});
};

TEST_F(ReferenceOpsTest, EmbedTakesRowsAndAdds) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const Tensor table = backend_.MakeTable(values, 3, 2);
  const Tensor out = ops_.Scratch(2, 2);
  ops_.Embed(table, std::vector<int32_t>{2, 0}, out, false);
  EXPECT_THAT(Values(out), ElementsAre(5, 6, 1, 2));
  ops_.Embed(table, std::vector<int32_t>{1, 1}, out, true);
  EXPECT_THAT(Values(out), ElementsAre(8, 10, 4, 6));
}

TEST_F(ReferenceOpsTest, NormGivesUnitVarianceThenScalesAndShifts) {
  const NormParams norm = {.weight = backend_.MakeVector(std::vector<float>{1, 1, 2, 2}),
                           .bias = backend_.MakeVector(std::vector<float>{0, 0, 0, 10}),
                           .epsilon = 0};
  const Tensor x = Matrix(1, 4, {1, 3, 1, 3});  // Mean 2, variance 1.
  ops_.Norm(norm, x, x);
  EXPECT_THAT(Values(x), ElementsAre(-1, 1, -2, 12));
}

TEST_F(ReferenceOpsTest, RmsNormKeepsTheMeanAndNeedsNoBias) {
  const NormParams norm = {.kind = NormKind::kRms,
                           .weight = backend_.MakeVector(std::vector<float>{1, 2}),
                           .epsilon = 24};
  const Tensor x = Matrix(2, 2, {1, 7, -5, 5});  // Mean squares 25 and 25, with epsilon 49.
  ops_.Norm(norm, x, x);
  EXPECT_THAT(Values(x),
              Pointwise(FloatNear(1e-6f), std::vector<float>{1.0f / 7, 2, -5.0f / 7, 10.0f / 7}));
}

TEST_F(ReferenceOpsTest, ResidualNormAddsInPlace) {
  const NormParams norm = {.kind = NormKind::kRms,
                           .weight = backend_.MakeVector(std::vector<float>{1, 1}),
                           .epsilon = 0};
  const Tensor x = Matrix(1, 2, {1, 2}), y = Matrix(1, 2, {2, 2}), out = ops_.Scratch(1, 2);
  ops_.ResidualNorm(norm, y, x, out);
  const float root = std::sqrt(12.5f);
  EXPECT_THAT(Values(x), ElementsAre(3, 4));
  EXPECT_THAT(Values(out), Pointwise(FloatNear(1e-6f), std::vector<float>{3 / root, 4 / root}));
}

TEST_F(ReferenceOpsTest, EmbedNormOfWordsAlone) {
  const Tensor words = backend_.MakeTable(std::vector<float>{1, 3, 5, 9}, 2, 2);
  const NormParams norm = {.weight = backend_.MakeVector(std::vector<float>{1, 1})};
  const Tensor out = ops_.Scratch(1, 2);
  ops_.EmbedNorm(words, std::vector<int32_t>{1}, {}, {}, {}, {}, norm, out);
  EXPECT_THAT(Values(out), ElementsAre(-1, 1));
}

TEST_F(ReferenceOpsTest, HeadNormTakesItsPiecesAlone) {
  const NormParams norm = {.kind = NormKind::kRms,
                           .weight = backend_.MakeVector(std::vector<float>{1, 2}),
                           .epsilon = 0};
  const Tensor x = Matrix(1, 7, {9, 1, 1, 3, -3, 9, 9});
  ops_.HeadNorm(norm, 1, 2, x);
  EXPECT_THAT(Values(x), ElementsAre(9, 1, 2, 1, -2, 9, 9));
}

// Heads of five columns, of which the first four turn: 0 with 2 by 90°, 1 with 3 by 0°.
TEST_F(ReferenceOpsTest, RopeTurnsPairsOfAHeadsHalves) {
  const Tensor table = Matrix(2, 4,
                              {1, 1, 0, 0,  // position 0: no turn
                               0, 1, 1, 0});
  const Tensor x = Matrix(2, 10, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10,  //
                                  1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  ops_.Rope({.table = table, .head_dim = 5, .rotary_dim = 4}, std::vector<int32_t>{0, 1}, 1, x);
  EXPECT_THAT(Values(x), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10,  //
                                     -3, 2, 1, 4, 5, 6, 7, 8, 9, 10));
}

TEST_F(ReferenceOpsTest, HeadNormRopeNormsQueriesAndKeysThenTurnsBoth) {
  const auto rms = [&](float weight) {
    return NormParams{.kind = NormKind::kRms,
                      .weight = backend_.MakeVector(std::vector<float>{weight, weight})};
  };
  const Tensor table = Matrix(1, 2, {0, 1});            // 90°.
  const Tensor qkv = Matrix(1, 6, {2, 2, 3, 3, 7, 8});  // A query, a key, a value.
  ops_.HeadNormRope({.q_norm = rms(1),
                     .k_norm = rms(10),
                     .rope = {.table = table, .head_dim = 2, .rotary_dim = 2},
                     .position_ids = std::array<int32_t, 1>{0},
                     .heads = 1,
                     .kv_heads = 1},
                    qkv);
  EXPECT_THAT(Values(qkv), ElementsAre(-1, 1, -10, 10, 7, 8));
}

TEST_F(ReferenceOpsTest, GateMultipliesTheActivatedHalfByTheOther) {
  const Tensor x = Matrix(2, 4, {-1, 2, 5, 7, 3, -4, 1, 1}), out = ops_.Scratch(2, 2);
  ops_.Gate(Activation::kRelu, x, out);
  EXPECT_THAT(Values(out), ElementsAre(0, 14, 3, 0));
  const Tensor one = Matrix(1, 1, {3}), gated = ops_.Scratch(1, 1);
  const std::vector<float> weight = {1, 2};
  ops_.LinearGate(*backend_.MakeLinear(weight, {}, 2, 1), Activation::kRelu, one, gated);
  EXPECT_THAT(Values(gated), ElementsAre(18));
}

TEST_F(ReferenceOpsTest, LinearMultipliesByTheTransposeAndAddsTheBias) {
  const std::vector<float> weight = {1, 2, 3, 4, 5, 6}, bias = {10, 20, 30};
  const Tensor x = Matrix(2, 2, {1, 1, 2, -1}), out = ops_.Scratch(2, 3);
  ops_.Linear(*backend_.MakeLinear(weight, bias, 3, 2), x, out);
  EXPECT_THAT(Values(out), ElementsAre(13, 27, 41, 10, 22, 34));
  ops_.Linear(*backend_.MakeLinear(weight, {}, 3, 2), x, out);
  EXPECT_THAT(Values(out), ElementsAre(3, 7, 11, 0, 2, 4));
}

// Values of the definitions to seven digits, from a table of the normal distribution and of tanh.
TEST_F(ReferenceOpsTest, ActivationsAreTheirDefinitions) {
  const auto activated = [&](Activation activation) {
    const Tensor x = Matrix(1, 3, {-1, 0, 2});
    ops_.Activate(activation, x);
    return Values(x);
  };
  EXPECT_THAT(activated(Activation::kGelu),
              Pointwise(FloatNear(1e-6f), std::vector<float>{-0.1586553f, 0, 1.9544997f}));
  EXPECT_THAT(activated(Activation::kGeluTanh),
              Pointwise(FloatNear(1e-6f), std::vector<float>{-0.1588080f, 0, 1.9545977f}));
  EXPECT_THAT(activated(Activation::kRelu), ElementsAre(0, 0, 2));
  EXPECT_THAT(activated(Activation::kTanh),
              Pointwise(FloatNear(1e-6f), std::vector<float>{-0.7615942f, 0, 0.9640276f}));
  EXPECT_THAT(activated(Activation::kSigmoid),
              Pointwise(FloatNear(1e-6f), std::vector<float>{0.2689414f, 0.5f, 0.8807971f}));
  EXPECT_THAT(activated(Activation::kSilu),
              Pointwise(FloatNear(1e-6f), std::vector<float>{-0.2689414f, 0, 1.7615942f}));
  EXPECT_THAT(activated(Activation::kLog1pRelu),
              Pointwise(FloatNear(1e-6f), std::vector<float>{0, 0, 1.0986123f}));
}

// Two heads of one dimension. With q·k = 0 all tokens weigh alike; with scale · q · (k₁ − k₀) =
// ln 3 the second weighs three times the first.
TEST_F(ReferenceOpsTest, AttentionWeighsTheTokensOfItsOwnSequence) {
  const float ln3 = std::log(3.0f);
  const Tensor qkv = Matrix(3, 6,
                            {0, 2 * ln3, 5, 0, 1, 4,  // sequence 0
                             0, 2 * ln3, 9, 1, 3, 8,  //
                             1, 1, 1, 1, 100, 200});  // sequence 1
  const Tensor out = ops_.Scratch(3, 2);
  const std::vector<int32_t> cu_seqlens = {0, 2, 3};
  ops_.Attention({.heads = 2, .head_dim = 1, .scale = 0.5f}, qkv, BatchShape::OfHost(cu_seqlens),
                 out);
  EXPECT_THAT(Values(out), Pointwise(FloatNear(1e-5f), std::vector<float>{2, 7, 2, 7, 100, 200}));
}

/// Of one head of one dimension whose scores are all 0: means of the values that are seen.
class ReferenceAttention : public ReferenceOpsTest {
 protected:
  std::vector<float> Means(const AttentionParams& params) {
    const Tensor qkv = Matrix(4, 3, {0, 0, 1, 0, 0, 3, 0, 0, 8, 0, 0, 24});
    const Tensor out = ops_.Scratch(4, 1);
    const std::vector<int32_t> cu_seqlens = {0, 4};
    ops_.Attention(params, qkv, BatchShape::OfHost(cu_seqlens), out);
    return Values(out);
  }
};

TEST_F(ReferenceAttention, Bug37_MasksAndWindows) {
  constexpr AttentionMask kFull = AttentionMask::kFull, kCausal = AttentionMask::kCausal;
  const auto seen = [&](AttentionMask mask, int window) {
    return Means({.heads = 1, .head_dim = 1, .scale = 1, .mask = mask, .window = window});
  };
  EXPECT_THAT(seen(kFull, 0), ElementsAre(9, 9, 9, 9));
  EXPECT_THAT(seen(kFull, 1), ElementsAre(2, 4, FloatNear(35.0f / 3, 1e-5f), 16));
  EXPECT_THAT(seen(kFull, 3), ElementsAre(9, 9, 9, 9));
  EXPECT_THAT(seen(kCausal, 0), ElementsAre(1, 2, 4, 9));
  EXPECT_THAT(seen(kCausal, 1), ElementsAre(1, 3, 8, 24));
  EXPECT_THAT(seen(kCausal, 2), ElementsAre(1, 2, 5.5f, 16));
  EXPECT_THAT(seen(kCausal, 4), ElementsAre(1, 2, 4, 9));
}

// For up to five tokens; the key right behind the query weighs as good as everything.
TEST_F(ReferenceAttention, PositionBiasGoesByTheDistance) {
  const Tensor bias = Matrix(1, 9, {0, 0, 0, 0, 0, 40, 0, 0, 0});
  EXPECT_THAT(Means({.heads = 1, .head_dim = 1, .scale = 1, .position_bias = bias}),
              ElementsAre(3, 8, 24, 9));
}

TEST_F(ReferenceAttention, HeadsShareKeysAndValues) {
  // Four query heads, two key and value heads.
  const Tensor qkv = Matrix(1, 8, {1, 1, 1, 1, 1, 1, 5, 6}), out = ops_.Scratch(1, 4);
  const std::vector<int32_t> cu_seqlens = {0, 1};
  ops_.Attention({.heads = 4, .kv_heads = 2, .head_dim = 1, .scale = 1}, qkv,
                 BatchShape::OfHost(cu_seqlens), out);
  EXPECT_THAT(Values(out), ElementsAre(5, 5, 6, 6));
}

TEST_F(ReferenceOpsTest, PoolingModes) {
  const float s3 = std::sqrt(3.0f);
  const auto near = [](const std::vector<float>& values) {
    return Pointwise(FloatNear(1e-6f), values);
  };
  EXPECT_THAT(Pooled(PoolingMode::kCls, {}), near({1, -1, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kMax, {}), near({6, -1, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kMean, {}), near({3, -3, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kMeanSqrtLen, {}), near({9 / s3, -9 / s3, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kWeightedMean, {}), near({23.0f / 6, -20.0f / 6, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kLastToken, {}), near({6, -3, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kSum, {}), near({9, -9, 7, 8}));
}

// Wherever it stands among the tokens.
TEST_F(ReferenceOpsTest, PoolingForTheLargestKeepsNaN) {
  const std::vector<int32_t> cu_seqlens = {0, 3};
  for (int token = 0; token < 3; ++token) {
    std::vector<float> x = {1, 3, 2}, out = {0};
    x[static_cast<std::size_t>(token)] = std::nanf("");
    ops_.Pool(PoolingMode::kMax, {.data = x.data(), .rows = 3, .cols = 1},
              BatchShape::OfHost(cu_seqlens), {}, 0, {.data = out.data(), .rows = 1, .cols = 1});
    EXPECT_TRUE(std::isnan(out[0])) << token;
  }
}

TEST_F(ReferenceOpsTest, PoolingLeavesOutThePrompt) {
  const float s2 = std::sqrt(2.0f);
  const auto near = [](const std::vector<float>& values) {
    return Pointwise(FloatNear(1e-6f), values);
  };
  EXPECT_THAT(Pooled(PoolingMode::kCls, {1, 0}), near({2, -5, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kMax, {1, 0}), near({6, -3, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kMean, {1, 0}), near({4, -4, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kMeanSqrtLen, {1, 0}), near({8 / s2, -8 / s2, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kWeightedMean, {1, 0}), near({22.0f / 5, -19.0f / 5, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kLastToken, {1, 0}), near({6, -3, 7, 8}));
  EXPECT_THAT(Pooled(PoolingMode::kSum, {1, 0}), near({8, -8, 7, 8}));
}

TEST_F(ReferenceOpsTest, PoolingOfNothingButPrompt) {
  const float none = -std::numeric_limits<float>::infinity();
  EXPECT_THAT(Pooled(PoolingMode::kCls, {3, 9}), ElementsAre(1, -1, 7, 8));
  EXPECT_THAT(Pooled(PoolingMode::kMax, {3, 9}), ElementsAre(none, none, none, none));
  EXPECT_THAT(Pooled(PoolingMode::kMean, {3, 9}), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Pooled(PoolingMode::kMeanSqrtLen, {3, 9}), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Pooled(PoolingMode::kWeightedMean, {3, 9}), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Pooled(PoolingMode::kLastToken, {3, 9}), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Pooled(PoolingMode::kSum, {3, 9}), ElementsAre(0, 0, 0, 0));
}

TEST_F(ReferenceOpsTest, PoolWritesItsColumnsOnly) {
  const Tensor out = Matrix(2, 4, {9, 9, 9, 9, 9, 9, 9, 9});
  ops_.Pool(PoolingMode::kMax, x_, BatchShape::OfHost(cu_seqlens_), {}, 1, out);
  EXPECT_THAT(Values(out), ElementsAre(9, 6, -1, 9, 9, 7, 8, 9));
}

TEST_F(ReferenceOpsTest, Bug42_NormalizeTakesFlaggedRowsAndKeepsZero) {
  const Tensor x = Matrix(3, 2, {3, 4, 3, 4, 0, 0});
  ops_.Normalize(std::vector<uint8_t>{1, 0, 1}, x);
  EXPECT_THAT(Values(x), ElementsAre(0.6f, 0.8f, 3, 4, 0, 0));
  ops_.Normalize({}, x);
  EXPECT_THAT(Values(x), ElementsAre(0.6f, 0.8f, 0.6f, 0.8f, 0, 0));
}

TEST(ReferenceOpsBFloat16, Widens) {
  ReferenceOps ops(DType::kBFloat16, 1 << 10);
  const Tensor x = ops.Scratch(1, 2), out = ops.Scratch(1, 2, DType::kFloat32);
  SetElement(x, 0, 1.5f);
  SetElement(x, 1, -0.1f);
  ops.Widen(x, out);
  EXPECT_THAT(Values(out), ElementsAre(1.5f, -0.10009765625f));
}

TEST(ReferenceOpsBFloat16, Bug34_RoundsWhatItStoresAndNotItsSums) {
  ReferenceOps ops(DType::kBFloat16, 1 << 10);
  ReferenceBackend backend(DType::kBFloat16);
  // 256 + 1 is not a bfloat16, yet 256 + 1 + 1 is: a sum rounded on its way would stay at 256.
  const Tensor x = ops.Scratch(1, 3), out = ops.Scratch(1, 1);
  for (int i = 0; i < 3; ++i) SetElement(x, i, i == 0 ? 256 : 1);
  ops.Linear(*backend.MakeLinear(std::vector<float>{1, 1, 1}, {}, 1, 3), x, out);
  EXPECT_EQ(GetElement(out, 0), 258);
  SetElement(x, 0, 257);
  EXPECT_EQ(GetElement(x, 0), 256);
}

TEST(ReferenceOpsScratch, IsAlignedPoisonedAndGivenBack) {
  ReferenceOps ops(DType::kFloat32, 1 << 10);
  const Tensor first = ops.Scratch(1, 3);
  void* second = nullptr;
  {
    ScratchScope scope(ops);
    second = ops.Scratch(1, 1).data;
  }
  const Tensor third = ops.Scratch(1, 1);
  EXPECT_EQ(third.data, second);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(third.data) % Arena::kAlignment, 0u);
  EXPECT_TRUE(std::isnan(GetElement(first, 2)) && std::isnan(GetElement(third, 0)));
  EXPECT_EQ(ops.arena_peak_bytes(), 2 * Arena::kAlignment);
}

TEST(ReferenceOpsScratch, TooMuchIsOurOwnBug) {
  ReferenceOps ops(DType::kFloat32, 64);
  EXPECT_DEATH(ops.Scratch(1, 17), "arena of 64 bytes is too small");
}

}  // namespace
}  // namespace rose
