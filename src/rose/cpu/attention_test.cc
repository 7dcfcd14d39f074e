#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "rose/core/reference_backend.h"
#include "rose/core/reference_ops.h"
#include "rose/cpu/cpu_ops.h"
#include "rose/cpu/math_body.h"
#include "rose/cpu/ops_comparison.h"

namespace rose::cpu {
namespace {

constexpr int64_t kReferenceArenaBytes = 1 << 10;
constexpr AttentionMask kFull = AttentionMask::kFull;
constexpr AttentionMask kCausal = AttentionMask::kCausal;

struct Case {
  AttentionParams params;
  std::vector<int32_t> lengths;
  bool biased = false;
};

/// A batch and where its sequences begin.
struct Batch {
  Batch(DType dtype, const AttentionParams& params, const std::vector<int32_t>& lengths)
      : cu_seqlens(lengths.size() + 1),
        qkv(dtype, std::accumulate(lengths.begin(), lengths.end(), 0), params.qkv_cols()) {
    std::partial_sum(lengths.begin(), lengths.end(), cu_seqlens.begin() + 1);
    const Tensor tensor = qkv.tensor();
    qkv = Guarded(dtype, tensor.rows, tensor.cols, Values(tensor.elements(), 1, 2));
  }
  BatchShape shape() const { return BatchShape::OfHost(cu_seqlens); }

  std::vector<int32_t> cu_seqlens;
  Guarded qkv;
};

class AttentionTest : public testing::TestWithParam<Setup> {
 protected:
  void SetUp() override {
    if (const std::string reason = ReasonToSkip(GetParam()); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
  }

  DType dtype() const { return GetParam().dtype; }

  std::vector<float> Attend(const AttentionParams& params, Tensor qkv, const BatchShape& shape) {
    Guarded out(dtype(), qkv.rows, int64_t{params.heads} * params.head_dim);
    RunCpuOps(GetParam(), params.head_dim,
              [&](Ops& ops) { ops.Attention(params, qkv, shape, out.tensor()); });
    EXPECT_TRUE(out.intact());
    return out.floats();
  }

  void ExpectAsReference(const Case& test) {
    AttentionParams params = test.params;
    params.scale = 1 / std::sqrt(static_cast<float>(params.head_dim));
    const int64_t longest = *std::max_element(test.lengths.begin(), test.lengths.end());
    if (test.biased) {  // For a few more positions than are used.
      const int64_t cols = 2 * (longest + 3) - 1;
      params.position_bias = tables_.MakeTable(Values(params.heads * cols, 2), params.heads, cols);
    }
    const Batch batch(dtype(), params, test.lengths);
    const Tensor qkv = batch.qkv.tensor();
    const int64_t hidden = int64_t{params.heads} * params.head_dim;
    Guarded expected(dtype(), qkv.rows, hidden), actual(dtype(), qkv.rows, hidden);
    ReferenceOps reference(dtype(), kReferenceArenaBytes);
    reference.Attention(params, qkv, batch.shape(), expected.tensor());
    RunCpuOps(GetParam(), params.head_dim,
              [&](Ops& ops) { ops.Attention(params, qkv, batch.shape(), actual.tensor()); });
    SCOPED_TRACE(testing::Message()
                 << params.heads << "/" << params.kv_heads << " heads of " << params.head_dim
                 << (params.mask == kCausal ? ", causal" : "") << ", window " << params.window
                 << (test.biased ? ", biased" : "") << ", longest " << longest);
    if (RoundsWeights()) {
      ExpectNearRounded(params, batch, actual, expected.floats());
    } else {
      ExpectNear(actual, expected.floats(), 64);
    }
  }

  /// To the bit.
  void ExpectAsAlone(const AttentionParams& params, const std::vector<int32_t>& lengths) {
    const Batch batch(dtype(), params, lengths);
    const std::vector<float> together = Attend(params, batch.qkv.tensor(), batch.shape());
    auto row = together.begin();
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      const Tensor alone = batch.qkv.tensor().Rows(batch.cu_seqlens[s], lengths[s]);
      const std::vector<int32_t> cu_seqlens = {0, lengths[s]};
      const auto end = row + int64_t{lengths[s]} * params.heads * params.head_dim;
      EXPECT_EQ(Attend(params, alone, BatchShape::OfHost(cu_seqlens)), std::vector<float>(row, end))
          << "window " << params.window << ", sequence " << s;
      row = end;
    }
  }

 private:
  /// Whether the kernel has softmax's weights as bfloat16, which Ops::Attention leaves to it.
  bool RoundsWeights() const {
    return dtype() == DType::kBFloat16 && GetParam().isa >= Isa::kAvx512Bf16;
  }

  /// Each weight is off by 2⁻⁸ of itself at most and by Exp2Rough's error, the sum of the values so
  /// weighted by that much of what it would be without signs; what is stored, by its own rounding.
  static void ExpectNearRounded(const AttentionParams& params, const Batch& batch,
                                const Guarded& actual, const std::vector<float>& expected) {
    EXPECT_TRUE(actual.intact());
    std::vector<float> unsigned_values = batch.qkv.floats();
    const Tensor qkv = batch.qkv.tensor();
    const int64_t first = int64_t{params.heads + params.key_value_heads()} * params.head_dim;
    for (std::size_t i = 0; i < unsigned_values.size(); ++i) {
      if (static_cast<int64_t>(i) % qkv.cols >= first) {
        unsigned_values[i] = std::abs(unsigned_values[i]);
      }
    }
    const Guarded with_sizes(qkv.dtype, qkv.rows, qkv.cols, unsigned_values);
    Guarded sizes(qkv.dtype, qkv.rows, int64_t{params.heads} * params.head_dim);
    ReferenceOps reference(qkv.dtype, kReferenceArenaBytes);
    reference.Attention(params, with_sizes.tensor(), batch.shape(), sizes.tensor());
    const std::vector<float> got = actual.floats(), size = sizes.floats();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double limit = std::ldexp(std::abs(expected[i]), -7) +
                           (std::ldexp(1.0, -8) + 2 * kExp2RoughError) * size[i] + 1e-6;
      ASSERT_NEAR(got[i], expected[i], limit) << "element " << i;
    }
  }

 protected:
  ReferenceBackend tables_{DType::kFloat32};
};

TEST_P(AttentionTest, EveryTokenSeesItsSequence) {
  const Case cases[] = {
      {{.heads = 1, .head_dim = 32}, {1}},
      {{.heads = 12, .head_dim = 32}, {17}},
      {{.heads = 3, .head_dim = 64}, {1, 1, 2}},
      {{.heads = 2, .head_dim = 32}, {65, 1, 130}},
      {{.heads = 2, .head_dim = 64}, {64, 7, 6, 12}},
      {{.heads = 1, .head_dim = 64}, {513, 1, 2, 3, 5}},
      {{.heads = 2, .head_dim = 80}, {33, 16}},
      {{.heads = 3, .head_dim = 1}, {9}},
      {{.heads = 1, .head_dim = 7}, {5, 40}},
      {{.heads = 1, .head_dim = 128}, {31, 128, 129}},
      {{.heads = 1, .head_dim = 256}, {19}},
      {{.heads = 12, .head_dim = 32}, {128}},
      {{.heads = 1, .head_dim = 32}, {1025}},
  };
  for (const Case& test : cases) ExpectAsReference(test);
}

TEST_P(AttentionTest, HeadsShareKeysAndValues) {
  for (const AttentionMask mask : {kFull, kCausal}) {
    for (const auto& [heads, kv_heads] : {std::pair{2, 1}, {4, 2}, {6, 2}, {16, 1}, {40, 1}}) {
      ExpectAsReference(
          {{.heads = heads, .kv_heads = kv_heads, .head_dim = 32, .mask = mask}, {1, 2, 37, 5}});
    }
    ExpectAsReference({{.heads = 4, .kv_heads = 4, .head_dim = 16, .mask = mask}, {3, 70}});
    ExpectAsReference({{.heads = 2, .kv_heads = 1, .head_dim = 128, .mask = mask}, {300}});
  }
}

TEST_P(AttentionTest, Bug37_MasksAndWindows) {
  for (const AttentionMask mask : {kFull, kCausal}) {
    for (const int window : {0, 1, 2, 7, 16, 64, 129, 200, 100000}) {
      for (const int head_dim : {16, 32, 64}) {
        ExpectAsReference(
            {{.heads = 2, .kv_heads = 1, .head_dim = head_dim, .mask = mask, .window = window},
             {1, 2, 64, 200, 33}});
      }
    }
  }
  ExpectAsReference({{.heads = 1, .head_dim = 8, .mask = kCausal, .window = 300}, {1025}});
  ExpectAsReference({{.heads = 1, .head_dim = 8, .mask = kFull, .window = 64}, {1025}});
}

TEST_P(AttentionTest, PositionBiases) {
  ExpectAsReference({{.heads = 3, .head_dim = 32}, {1, 140, 17}, true});
  for (const int head_dim : {16, 64}) {
    ExpectAsReference(
        {{.heads = 4, .kv_heads = 2, .head_dim = head_dim, .mask = kCausal}, {50}, true});
  }
}

using LongAttentionTest = AttentionTest;

TEST_P(LongAttentionTest, ThousandsOfTokens) {
  for (const int head_dim : {8, 32}) {
    ExpectAsReference({{.heads = 1, .head_dim = head_dim}, {4100}});
    ExpectAsReference({{.heads = 1, .head_dim = head_dim, .mask = kCausal}, {4100, 3}});
  }
}

// Neither the place in the batch nor the length of the others enters a sum.
TEST_P(AttentionTest, ASequenceAttendsAsItDoesAlone) {
  const std::vector<std::vector<int32_t>> batches = {{37, 1, 150, 2, 33, 300}, {25, 40, 63}};
  const AttentionParams cases[] = {
      {.heads = 2, .head_dim = 32, .scale = 0.2f},
      {.heads = 4, .kv_heads = 2, .head_dim = 32, .scale = 0.2f, .mask = kCausal},
      {.heads = 2, .head_dim = 32, .scale = 0.2f, .mask = kFull, .window = 20},
      {.heads = 2, .head_dim = 32, .scale = 0.2f, .mask = kFull, .window = 4},
  };
  for (const std::vector<int32_t>& lengths : batches) {
    for (const AttentionParams& params : cases) ExpectAsAlone(params, lengths);
  }
}

TEST_P(AttentionTest, NoTokens) {
  const AttentionParams params{.heads = 2, .head_dim = 32, .scale = 1};
  const Guarded none(dtype(), 0, params.qkv_cols());
  EXPECT_TRUE(Attend(params, none.tensor(), {}).empty());
  const std::vector<int32_t> empty = {0, 0};
  EXPECT_TRUE(Attend(params, none.tensor(), BatchShape::OfHost(empty)).empty());
}

/// Of the kernels alone: their bodies in plain loops take minutes over thousands of tokens.
std::vector<Setup> KernelsOnly() {
  std::vector<Setup> setups = KernelSetups({DType::kFloat32, DType::kBFloat16});
  setups.erase(
      std::remove_if(setups.begin(), setups.end(), [](const Setup& setup) { return setup.plain; }),
      setups.end());
  return setups;
}

INSTANTIATE_TEST_SUITE_P(All, LongAttentionTest, testing::ValuesIn(KernelsOnly()),
                         [](const auto& setup) { return Describe(setup.param); });
INSTANTIATE_TEST_SUITE_P(All, AttentionTest,
                         testing::ValuesIn(KernelSetups({DType::kFloat32, DType::kBFloat16})),
                         [](const auto& setup) { return Describe(setup.param); });

}  // namespace
}  // namespace rose::cpu
