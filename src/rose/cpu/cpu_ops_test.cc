#include "rose/cpu/cpu_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "rose/core/reference_backend.h"
#include "rose/core/reference_ops.h"
#include "rose/cpu/cpu_backend.h"
#include "rose/cpu/ops_comparison.h"

namespace rose::cpu {
namespace {

constexpr int64_t kReferenceArenaBytes = 1 << 21;
constexpr Activation kActivations[] = {
    Activation::kGelu, Activation::kGeluTanh, Activation::kRelu,     Activation::kSilu,
    Activation::kTanh, Activation::kSigmoid,  Activation::kLog1pRelu};

struct Shape {
  int64_t rows;
  int64_t cols;
};
// One token, odd hidden sizes, no whole vector, no token, the sizes of real models.
constexpr Shape kShapes[] = {{1, 384}, {3, 1},   {5, 7},     {2, 64},   {0, 384},
                             {7, 33},  {4, 770}, {129, 384}, {33, 1024}};

class CpuOpsTest : public testing::TestWithParam<Setup> {
 protected:
  void SetUp() override {
    if (const std::string reason = ReasonToSkip(GetParam()); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
  }

  DType dtype() const { return GetParam().dtype; }
  void Run(absl::FunctionRef<void(Ops&)> body, int64_t head_dim = 1) {
    RunCpuOps(GetParam(), head_dim, body);
  }

  NormParams Norm(NormKind kind, int64_t cols) {
    return {.kind = kind,
            .weight = backend_.MakeVector(Values(cols, 4)),
            .bias = backend_.MakeVector(Values(cols, 5)),
            .epsilon = 1e-3f};
  }

  ReferenceOps reference_{GetParam().dtype, kReferenceArenaBytes};
  ReferenceOps exact_{DType::kFloat32, kReferenceArenaBytes};
  ReferenceBackend backend_{GetParam().dtype};
  ReferenceBackend floats_{DType::kFloat32};
};

TEST_P(CpuOpsTest, EmbedTakesAndAddsRows) {
  for (const auto [rows, cols] : kShapes) {
    const Tensor table = backend_.MakeTable(Values(11 * cols, 1), 11, cols);
    std::vector<int32_t> ids(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * 7 % 11);
    Guarded expected(dtype(), rows, cols), actual(dtype(), rows, cols);
    for (const bool add : {false, true}) {
      reference_.Embed(table, ids, expected.tensor(), add);
      Run([&](Ops& ops) { ops.Embed(table, ids, actual.tensor(), add); });
      ExpectNear(actual, expected.floats(), 1);
    }
  }
}

// The sum of a fused norm stays float32 in the kernels and is rounded to the dtype between the
// primitive operations: expected values come from a float32 reference on the same tensors.
TEST_P(CpuOpsTest, EmbedNormIsItsDefaultBodyWhateverIsAbsent) {
  for (const auto [rows, cols] : kShapes) {
    const Tensor words = backend_.MakeTable(Values(11 * cols, 1), 11, cols);
    const Tensor positions = backend_.MakeTable(Values(200 * cols, 2), 200, cols);
    const Tensor types = backend_.MakeTable(Values(2 * cols, 3), 2, cols);
    std::vector<int32_t> ids(static_cast<std::size_t>(rows)), position_ids = ids, type_ids = ids;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<int32_t>(i * 7 % 11);
      position_ids[i] = static_cast<int32_t>(i);
      type_ids[i] = static_cast<int32_t>(i % 2);
    }
    for (const bool positioned : {true, false}) {
      for (const bool typed : {true, false}) {
        const auto run = [&, norm = Norm(NormKind::kLayer, cols)](Ops& ops, Tensor out) {
          ops.EmbedNorm(
              words, ids, positioned ? positions : Tensor{},
              positioned ? std::span<const int32_t>(position_ids) : std::span<const int32_t>(),
              typed ? types : Tensor{},
              typed ? std::span<const int32_t>(type_ids) : std::span<const int32_t>(), norm, out);
        };
        Guarded actual(dtype(), rows, cols), expected(DType::kFloat32, rows, cols);
        Run([&](Ops& ops) { run(ops, actual.tensor()); });
        run(exact_, expected.tensor());
        ExpectNear(actual, expected.floats(), 16);
      }
    }
  }
}

TEST_P(CpuOpsTest, NormsOfBothKindsWithAndWithoutBias) {
  for (const auto [rows, cols] : kShapes) {
    const Guarded x(dtype(), rows, cols, Values(rows * cols, 1, 3));
    const Guarded y(dtype(), rows, cols, Values(rows * cols, 2));
    for (const NormKind kind : {NormKind::kLayer, NormKind::kRms}) {
      for (const bool biased : {true, false}) {
        NormParams norm = Norm(kind, cols);
        if (!biased) norm.bias = {};
        Guarded actual(dtype(), rows, cols), expected(DType::kFloat32, rows, cols);
        Run([&](Ops& ops) { ops.Norm(norm, x.tensor(), actual.tensor()); });
        exact_.Norm(norm, x.tensor(), expected.tensor());
        ExpectNear(actual, expected.floats(), 16);
        Run([&](Ops& ops) { ops.AddNorm(norm, x.tensor(), y.tensor(), actual.tensor()); });
        exact_.AddNorm(norm, x.tensor(), y.tensor(), expected.tensor());
        ExpectNear(actual, expected.floats(), 16);
        Guarded in_place = x;
        Run([&](Ops& ops) { ops.AddNorm(norm, in_place.tensor(), y.tensor(), in_place.tensor()); });
        EXPECT_EQ(in_place.floats(), actual.floats());
      }
    }
  }
}

TEST_P(CpuOpsTest, ResidualNormIsItsDefaultBody) {
  for (const auto [rows, cols] : kShapes) {
    const Guarded x(dtype(), rows, cols, Values(rows * cols, 1, 3));
    const Guarded y(dtype(), rows, cols, Values(rows * cols, 2));
    const NormParams norm = Norm(NormKind::kRms, cols);
    Guarded sum = x, expected_sum = x;
    Guarded actual(dtype(), rows, cols), expected(dtype(), rows, cols);
    Run([&](Ops& ops) { ops.ResidualNorm(norm, y.tensor(), sum.tensor(), actual.tensor()); });
    reference_.ResidualNorm(norm, y.tensor(), expected_sum.tensor(), expected.tensor());
    EXPECT_EQ(sum.floats(), expected_sum.floats());
    ExpectNear(actual, expected.floats(), 16);
  }
}

TEST_P(CpuOpsTest, AddsElements) {
  for (const auto [rows, cols] : kShapes) {
    const Guarded x(dtype(), rows, cols, Values(rows * cols, 1, 3));
    const Guarded y(dtype(), rows, cols, Values(rows * cols, 2));
    Guarded expected(dtype(), rows, cols), actual(dtype(), rows, cols);
    reference_.Add(x.tensor(), y.tensor(), expected.tensor());
    Run([&](Ops& ops) { ops.Add(x.tensor(), y.tensor(), actual.tensor()); });
    ExpectNear(actual, expected.floats(), 1);
  }
}

struct HeadShape {
  int64_t rows;
  int heads, kv_heads, head_dim, rotary_dim;
};
constexpr HeadShape kHeadShapes[] = {{1, 1, 1, 64, 64}, {3, 2, 1, 16, 16}, {5, 3, 3, 7, 6},
                                     {2, 4, 2, 80, 20}, {0, 2, 1, 32, 32}, {77, 16, 8, 128, 128},
                                     {9, 2, 1, 256, 64}};

TEST_P(CpuOpsTest, HeadNormAndRope) {
  for (const auto& [rows, heads, kv_heads, head_dim, rotary_dim] : kHeadShapes) {
    SCOPED_TRACE(testing::Message() << rows << " rows, " << heads << " heads of " << head_dim);
    const int64_t cols = (heads + 2 * kv_heads) * head_dim;
    const Guarded x(dtype(), rows, cols, Values(rows * cols, 1, 3));
    const NormParams q_norm = Norm(NormKind::kRms, head_dim),
                     k_norm = Norm(NormKind::kLayer, head_dim);
    const RopeParams rope{.table = floats_.MakeTable(Values(90 * rotary_dim, 6), 90, rotary_dim),
                          .head_dim = head_dim,
                          .rotary_dim = rotary_dim};
    std::vector<int32_t> positions(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      positions[i] = static_cast<int32_t>(i * 31 % 90);
    }
    const std::function<void(Ops&, Tensor)> operations[] = {
        [&](Ops& ops, Tensor out) { ops.HeadNorm(q_norm, head_dim, kv_heads, out); },
        [&](Ops& ops, Tensor out) { ops.Rope(rope, positions, heads + kv_heads, out); },
        [&](Ops& ops, Tensor out) {
          ops.HeadNormRope({q_norm, k_norm, rope, positions, heads, kv_heads}, out);
        }};
    for (const auto& operation : operations) {
      Guarded actual = x, expected = x;
      Run([&](Ops& ops) { operation(ops, actual.tensor()); });
      operation(reference_, expected.tensor());
      ExpectNear(actual, expected.floats(), 16);
    }
  }
}

TEST_P(CpuOpsTest, ActivationsOverTheirWholeRange) {
  std::vector<float> values = Values(4099, 1, 12);
  for (const float x : {0.0f, -0.0f, 1e-30f, -1e-30f, 50.0f, -50.0f, 1e30f, -1e30f, 1.5e38f,
                        -1.5e38f, 3e38f, -3e38f}) {
    values.push_back(x);
  }
  const auto n = static_cast<int64_t>(values.size());
  for (const Activation activation : kActivations) {
    Guarded expected(dtype(), 1, n, values), actual(dtype(), 1, n, values);
    reference_.Activate(activation, expected.tensor());
    Run([&](Ops& ops) { ops.Activate(activation, actual.tensor()); });
    EXPECT_TRUE(actual.intact());
    const std::vector<float> e = expected.floats(), a = actual.floats();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double relative = dtype() == DType::kBFloat16 ? 0x1p-7 : 0x1p-22;
      ASSERT_NEAR(a[i], e[i], 1e-6 + relative * std::abs(e[i])) << "of " << values[i];
    }
  }
}

TEST_P(CpuOpsTest, GateIsActivationTimesValue) {
  for (const auto [rows, cols] : kShapes) {
    const Guarded x(dtype(), rows, 2 * cols, Values(rows * 2 * cols, 1, 6));
    for (const Activation activation : kActivations) {
      Guarded expected(dtype(), rows, cols), actual(dtype(), rows, cols);
      reference_.Gate(activation, x.tensor(), expected.tensor());
      Run([&](Ops& ops) { ops.Gate(activation, x.tensor(), actual.tensor()); });
      ExpectNear(actual, expected.floats(), 64);
    }
  }
}

TEST_P(CpuOpsTest, Widens) {
  for (const auto [rows, cols] : kShapes) {
    const Guarded x(dtype(), rows, cols, Values(rows * cols, 1, 6));
    Guarded actual(DType::kFloat32, rows, cols);
    Run([&](Ops& ops) { ops.Widen(x.tensor(), actual.tensor()); });
    EXPECT_TRUE(actual.intact());
    EXPECT_EQ(actual.floats(), x.floats());
  }
}

TEST_P(CpuOpsTest, ActivationsKeepNaN) {
  for (const Activation activation : kActivations) {
    Guarded x(dtype(), 1, 19, std::vector<float>(19, std::nanf("")));
    Run([&](Ops& ops) { ops.Activate(activation, x.tensor()); });
    for (const float value : x.floats()) EXPECT_TRUE(std::isnan(value));
  }
}

TEST_P(CpuOpsTest, PoolsInAllModes) {
  const std::vector<int32_t> cu_seqlens{0, 1, 4, 21, 150, 152};
  const std::vector<int32_t> skips[] = {{}, {0, 1, 5, 0, 2}, {3, 3, 17, 128, 9}};
  for (const int64_t cols : {1, 7, 64, 384, 770}) {
    const Guarded x(dtype(), 152, cols, Values(152 * cols, 1));
    const BatchShape shape = BatchShape::OfHost(cu_seqlens);
    for (const PoolingMode mode :
         {PoolingMode::kCls, PoolingMode::kMax, PoolingMode::kMean, PoolingMode::kMeanSqrtLen,
          PoolingMode::kWeightedMean, PoolingMode::kLastToken, PoolingMode::kSum}) {
      for (const std::vector<int32_t>& skip : skips) {
        const std::vector<float> old = Values(5 * (cols + 3), 9);
        Guarded expected(DType::kFloat32, 5, cols + 3, old);
        Guarded actual(DType::kFloat32, 5, cols + 3, old);
        reference_.Pool(mode, x.tensor(), shape, skip, 2, expected.tensor());
        Run([&](Ops& ops) { ops.Pool(mode, x.tensor(), shape, skip, 2, actual.tensor()); });
        SCOPED_TRACE(testing::Message() << "mode " << static_cast<int>(mode));
        ExpectNear(actual, expected.floats(), 16);
      }
    }
  }
}

// One of a sequence's values: wherever it stands, no mode that counts it hides it.
TEST_P(CpuOpsTest, PoolingKeepsNaN) {
  constexpr int64_t kTokens = 9, kCols = 21;
  const std::vector<int32_t> cu_seqlens{0, kTokens};
  const auto first = [](int64_t token) { return token == 0; };
  const auto last = [](int64_t token) { return token == kTokens - 1; };
  for (const PoolingMode mode :
       {PoolingMode::kCls, PoolingMode::kMax, PoolingMode::kMean, PoolingMode::kMeanSqrtLen,
        PoolingMode::kWeightedMean, PoolingMode::kLastToken, PoolingMode::kSum}) {
    for (int64_t token = 0; token < kTokens; ++token) {
      std::vector<float> values = Values(kTokens * kCols, 1);
      values[static_cast<std::size_t>(token * kCols + token)] = std::nanf("");
      const Guarded x(dtype(), kTokens, kCols, values);
      Guarded out(DType::kFloat32, 1, kCols);
      Run([&](Ops& ops) {
        ops.Pool(mode, x.tensor(), BatchShape::OfHost(cu_seqlens), {}, 0, out.tensor());
      });
      const bool counts = mode == PoolingMode::kCls         ? first(token)
                          : mode == PoolingMode::kLastToken ? last(token)
                                                            : true;
      const std::vector<float> pooled = out.floats();
      for (int64_t c = 0; c < kCols; ++c) {
        EXPECT_EQ(std::isnan(pooled[static_cast<std::size_t>(c)]), counts && c == token)
            << "mode " << static_cast<int>(mode) << " token " << token << " column " << c;
      }
    }
  }
}

TEST_P(CpuOpsTest, Bug42_NormalizesTheRowsThatAsk) {
  for (const int64_t cols : {1, 7, 384, 770}) {
    std::vector<float> values = Values(4 * cols, 1, 100);
    std::fill(values.begin(), values.begin() + cols, 0.0f);  // A zero vector stays one.
    const std::vector<uint8_t> flags{1, 0, 1, 1};
    for (const DType type : {DType::kFloat32, dtype()}) {
      for (const auto& asked : {flags, std::vector<uint8_t>()}) {
        Guarded expected(type, 4, cols, values), actual = expected;
        reference_.Normalize(asked, expected.tensor());
        Run([&](Ops& ops) { ops.Normalize(asked, actual.tensor()); });
        ExpectNear(actual, expected.floats(), 1);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CpuOpsTest,
                         testing::ValuesIn(KernelSetups({DType::kFloat32, DType::kBFloat16})),
                         [](const auto& setup) { return Describe(setup.param); });

}  // namespace
}  // namespace rose::cpu
