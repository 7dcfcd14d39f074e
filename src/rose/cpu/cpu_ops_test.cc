#include "rose/cpu/cpu_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "rose/core/reference_backend.h"
#include "rose/core/reference_ops.h"
#include "rose/cpu/cpu_backend.h"
#include "rose/cpu/ops_comparison.h"

namespace rose::cpu {
namespace {

constexpr int64_t kReferenceArenaBytes = 1 << 20;

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
  void Run(absl::FunctionRef<void(Ops&)> body, int64_t tokens = 1, int64_t head_dim = 1) {
    RunCpuOps(GetParam(), tokens, head_dim, body);
  }

  ReferenceOps reference_{GetParam().dtype, kReferenceArenaBytes};
  ReferenceBackend backend_{GetParam().dtype};
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

TEST_P(CpuOpsTest, EmbedNormIsItsDefaultBody) {
  for (const auto [rows, cols] : kShapes) {
    const Tensor words = backend_.MakeTable(Values(11 * cols, 1), 11, cols);
    const Tensor positions = backend_.MakeTable(Values(200 * cols, 2), 200, cols);
    const Tensor types = backend_.MakeTable(Values(2 * cols, 3), 2, cols);
    const NormParams norm{.weight = backend_.MakeVector(Values(cols, 4)),
                          .bias = backend_.MakeVector(Values(cols, 5)),
                          .epsilon = 1e-3f};
    std::vector<int32_t> ids(static_cast<std::size_t>(rows)), position_ids = ids, type_ids = ids;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<int32_t>(i * 7 % 11);
      position_ids[i] = static_cast<int32_t>(i);
      type_ids[i] = static_cast<int32_t>(i % 2);
    }
    // The sum of the three stays float32 here and is rounded twice there: bfloat16's expected
    // values come from a float32 run on the same tables.
    Guarded actual(dtype(), rows, cols);
    Run([&](Ops& ops) {
      ops.EmbedNorm(words, ids, positions, position_ids, types, type_ids, norm, actual.tensor());
    });
    ReferenceOps exact(DType::kFloat32, kReferenceArenaBytes);
    Guarded expected(DType::kFloat32, rows, cols);
    exact.EmbedNorm(words, ids, positions, position_ids, types, type_ids, norm, expected.tensor());
    ExpectNear(actual, expected.floats(), 16);
  }
}

TEST_P(CpuOpsTest, AddNormIsItsDefaultBodyInPlaceToo) {
  for (const auto [rows, cols] : kShapes) {
    const NormParams norm{.weight = backend_.MakeVector(Values(cols, 4)),
                          .bias = backend_.MakeVector(Values(cols, 5)),
                          .epsilon = 1e-3f};
    const Guarded x(dtype(), rows, cols, Values(rows * cols, 1, 3));
    const Guarded residual(dtype(), rows, cols, Values(rows * cols, 2));
    ReferenceOps exact(DType::kFloat32, kReferenceArenaBytes);
    Guarded expected(DType::kFloat32, rows, cols);
    exact.AddNorm(norm, x.tensor(), residual.tensor(), expected.tensor());
    Guarded actual(dtype(), rows, cols);
    Run([&](Ops& ops) { ops.AddNorm(norm, x.tensor(), residual.tensor(), actual.tensor()); });
    ExpectNear(actual, expected.floats(), 16);
    Guarded in_place = x;
    Run([&](Ops& ops) {
      ops.AddNorm(norm, in_place.tensor(), residual.tensor(), in_place.tensor());
    });
    EXPECT_EQ(in_place.floats(), actual.floats());
  }
}

TEST_P(CpuOpsTest, NormAndAdd) {
  for (const auto [rows, cols] : kShapes) {
    const NormParams norm{.weight = backend_.MakeVector(Values(cols, 4)),
                          .bias = backend_.MakeVector(Values(cols, 5)),
                          .epsilon = 1e-12f};
    const Guarded x(dtype(), rows, cols, Values(rows * cols, 1, 3));
    const Guarded y(dtype(), rows, cols, Values(rows * cols, 2));
    Guarded expected(dtype(), rows, cols), actual(dtype(), rows, cols);
    reference_.Norm(norm, x.tensor(), expected.tensor());
    Run([&](Ops& ops) { ops.Norm(norm, x.tensor(), actual.tensor()); });
    ExpectNear(actual, expected.floats(), 16);
    reference_.Add(x.tensor(), y.tensor(), expected.tensor());
    Run([&](Ops& ops) { ops.Add(x.tensor(), y.tensor(), actual.tensor()); });
    ExpectNear(actual, expected.floats(), 1);
  }
}

TEST_P(CpuOpsTest, ActivationsOverTheirWholeRange) {
  std::vector<float> values = Values(4099, 1, 12);
  for (const float x : {0.0f, -0.0f, 1e-30f, -1e-30f, 50.0f, -50.0f, 1e30f, -1e30f}) {
    values.push_back(x);
  }
  const auto n = static_cast<int64_t>(values.size());
  for (const Activation activation :
       {Activation::kGelu, Activation::kGeluTanh, Activation::kRelu, Activation::kTanh}) {
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

TEST_P(CpuOpsTest, ActivationsKeepNaN) {
  for (const Activation activation :
       {Activation::kGelu, Activation::kGeluTanh, Activation::kRelu, Activation::kTanh}) {
    Guarded x(dtype(), 1, 19, std::vector<float>(19, std::nanf("")));
    Run([&](Ops& ops) { ops.Activate(activation, x.tensor()); });
    for (const float value : x.floats()) EXPECT_TRUE(std::isnan(value));
  }
}

struct AttentionCase {
  int heads;
  int head_dim;
  std::vector<int32_t> lengths;
};

TEST_P(CpuOpsTest, Attention) {
  const AttentionCase cases[] = {
      {1, 32, {1}},
      {12, 32, {17}},
      {3, 64, {1, 1, 2}},
      {2, 32, {65, 1, 130}},
      {2, 64, {64, 7, 6, 12}},
      {1, 64, {513, 1, 2, 3, 5}},
      {2, 80, {33, 16}},
      {3, 1, {9}},
      {1, 7, {5, 40}},
      {1, 128, {31}},
      {12, 32, {128}},
  };
  for (const auto& [heads, head_dim, lengths] : cases) {
    std::vector<int32_t> cu_seqlens{0};
    for (const int32_t n : lengths) cu_seqlens.push_back(cu_seqlens.back() + n);
    const int32_t longest = *std::max_element(lengths.begin(), lengths.end());
    const BatchShape shape{.cu_seqlens = cu_seqlens};
    const AttentionParams params{
        .heads = heads, .head_dim = head_dim, .scale = 1 / std::sqrt(float(head_dim))};
    const int64_t hidden = int64_t{heads} * head_dim;
    const Guarded qkv(dtype(), shape.tokens(), 3 * hidden,
                      Values(shape.tokens() * 3 * hidden, 1, 2));
    Guarded expected(dtype(), shape.tokens(), hidden), actual(dtype(), shape.tokens(), hidden);
    reference_.Attention(params, qkv.tensor(), shape, expected.tensor());
    Run([&](Ops& ops) { ops.Attention(params, qkv.tensor(), shape, actual.tensor()); }, longest,
        head_dim);
    SCOPED_TRACE(testing::Message()
                 << heads << " heads of " << head_dim << ", longest " << longest);
    ExpectNear(actual, expected.floats(), 64);
  }
}

TEST_P(CpuOpsTest, ASequenceAttendsAsItDoesAlone) {
  const AttentionParams params{.heads = 2, .head_dim = 32, .scale = 0.2f};
  const Guarded qkv(dtype(), 70, 192, Values(70 * 192, 1, 2));
  const std::vector<int32_t> both{0, 37, 70}, one{0, 33};
  Guarded together(dtype(), 70, 64), alone(dtype(), 33, 64);
  Tensor second = qkv.tensor();
  second.rows = 33;
  second.data =
      static_cast<std::byte*>(second.data) + 37 * 192 * static_cast<int64_t>(SizeOf(second.dtype));
  Run(
      [&](Ops& ops) {
        ops.Attention(params, qkv.tensor(), {.cu_seqlens = both}, together.tensor());
        ops.Attention(params, second, {.cu_seqlens = one}, alone.tensor());
      },
      37, 32);
  const std::vector<float> rows = together.floats();
  EXPECT_EQ(std::vector<float>(rows.begin() + 37 * 64, rows.end()), alone.floats());
}

TEST_P(CpuOpsTest, PoolsInAllModes) {
  const std::vector<int32_t> cu_seqlens{0, 1, 4, 21, 150, 152};
  const std::vector<int32_t> skips[] = {{}, {0, 1, 5, 0, 2}, {3, 3, 17, 128, 9}};
  for (const int64_t cols : {1, 7, 64, 384, 770}) {
    const Guarded x(dtype(), 152, cols, Values(152 * cols, 1));
    const BatchShape shape{.cu_seqlens = cu_seqlens};
    for (const PoolingMode mode :
         {PoolingMode::kCls, PoolingMode::kMax, PoolingMode::kMean, PoolingMode::kMeanSqrtLen,
          PoolingMode::kWeightedMean, PoolingMode::kLastToken}) {
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

TEST_P(CpuOpsTest, NormalizesTheRowsThatAsk) {
  for (const int64_t cols : {1, 7, 384, 770}) {
    std::vector<float> values = Values(4 * cols, 1, 100);
    std::fill(values.begin(), values.begin() + cols, 0.0f);  // A zero vector stays one.
    const std::vector<uint8_t> flags{1, 0, 1, 1};
    Guarded expected(DType::kFloat32, 4, cols, values), actual = expected;
    actual = Guarded(DType::kFloat32, 4, cols, values);
    reference_.Normalize(flags, expected.tensor());
    Run([&](Ops& ops) { ops.Normalize(flags, actual.tensor()); });
    ExpectNear(actual, expected.floats(), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CpuOpsTest,
                         testing::ValuesIn(KernelSetups({DType::kFloat32, DType::kBFloat16})),
                         [](const auto& setup) { return Describe(setup.param); });

}  // namespace
}  // namespace rose::cpu
