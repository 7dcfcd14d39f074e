#include "rose/cpu/cpu_linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "absl/functional/function_ref.h"
#include "rose/core/bfloat16.h"
#include "rose/core/reference_backend.h"
#include "rose/core/reference_ops.h"
#include "rose/cpu/ops_comparison.h"
#include "rose/cpu/packed_linear.h"

namespace rose::cpu {
namespace {

struct Shape {
  int64_t rows;
  int64_t in_features;
  int64_t out_features;
};
constexpr Shape kShapes[] = {{1, 384, 384},  {16, 384, 1536}, {5, 1, 1},      {129, 770, 33},
                             {8, 1536, 384}, {33, 384, 1152}, {100, 64, 50},  {13, 257, 16},
                             {2, 300, 17},   {0, 384, 384},   {200, 96, 128}, {7, 1024, 770}};

using MakeLinear = absl::FunctionRef<std::unique_ptr<CpuLinear>(const RowSource& weight,
                                                                std::span<const float> bias)>;

/// `values` as an element of `dtype` holds them.
std::vector<float> Rounded(DType dtype, std::vector<float> values) {
  if (dtype == DType::kFloat32) return values;
  for (float& value : values) value = BFloat16::FromFloat(value).ToFloat();
  return values;
}

/// Plain and with GELU, with and without bias, against the reference in float32: what a product
/// and its activation round in between, if anything, is theirs.
void CompareShapes(const Setup& setup, MakeLinear make) {
  for (const auto [rows, k, n] : kShapes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << k << " x " << n);
    const std::vector<float> values = Rounded(setup.dtype, Values(n * k, 1)), biases = Values(n, 2);
    const std::vector<float> inputs = Rounded(setup.dtype, Values(rows * k, 3));
    const MemoryRows weight(values, n, k);
    const Guarded x(setup.dtype, rows, k, inputs), exact(DType::kFloat32, rows, k, inputs);
    for (const bool biased : {false, true}) {
      const std::span<const float> bias = biased ? std::span(biases) : std::span<const float>();
      ReferenceBackend backend(DType::kFloat32);
      const LinearWeight& oracle = *backend.MakeLinear(weight, bias, DType::kFloat32);
      const std::unique_ptr<CpuLinear> linear = make(weight, bias);
      ReferenceOps reference(DType::kFloat32, 1024);
      Guarded expected(DType::kFloat32, rows, n), actual(setup.dtype, rows, n);
      reference.Linear(oracle, exact.tensor(), expected.tensor());
      RunCpuOps(setup, 1, [&](Ops& ops) { ops.Linear(*linear, x.tensor(), actual.tensor()); });
      ExpectNear(actual, expected.floats(), static_cast<double>(k));
      reference.Activate(Activation::kGelu, expected.tensor());
      RunCpuOps(setup, 1, [&](Ops& ops) {
        ops.LinearActivate(*linear, Activation::kGelu, x.tensor(), actual.tensor());
      });
      ExpectNear(actual, expected.floats(), 4 * static_cast<double>(k));
    }
  }
}

std::unique_ptr<CpuLinear> MakePacked(const Setup& setup, const RowSource& weight,
                                      std::span<const float> bias) {
  const Kernels& kernels = KernelsOf(setup);
  if (setup.dtype == DType::kFloat32) {
    return std::make_unique<PackedLinear<float>>(kernels.gemm_f32, weight, bias);
  }
  return std::make_unique<PackedLinear<BFloat16>>(kernels.gemm_bf16, weight, bias);
}

class PackedLinearTest : public testing::TestWithParam<Setup> {
 protected:
  void SetUp() override {
    if (const std::string reason = ReasonToSkip(GetParam()); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
  }
};

TEST_P(PackedLinearTest, IsTheReference) {
  CompareShapes(GetParam(), [](const RowSource& weight, std::span<const float> bias) {
    return MakePacked(GetParam(), weight, bias);
  });
}

TEST_P(PackedLinearTest, ARowIsTheSameInAnyCompany) {
  constexpr int64_t kRows = 211, kOut = 100;
  const DType dtype = GetParam().dtype;
  for (const int64_t in : {770, 1024, 37}) {
    const std::vector<float> weight = Values(kOut * in, 1);
    const auto linear = MakePacked(GetParam(), MemoryRows(weight, kOut, in), {});
    const Guarded x(dtype, kRows, in, Values(kRows * in, 3));
    Guarded all(dtype, kRows, kOut);
    RunCpuOps(GetParam(), 1, [&](Ops& ops) { ops.Linear(*linear, x.tensor(), all.tensor()); });
    const std::vector<float> values = all.floats();
    for (const int64_t row : {0, 5, 95, 96, 210}) {
      Guarded alone(dtype, 1, kOut);
      RunCpuOps(GetParam(), 1,
                [&](Ops& ops) { ops.Linear(*linear, x.tensor().Rows(row, 1), alone.tensor()); });
      EXPECT_EQ(alone.floats(),
                std::vector<float>(values.begin() + row * kOut, values.begin() + (row + 1) * kOut));
    }
  }
}

/// What stands behind a row or beside it never counts, not even a NaN.
TEST_P(PackedLinearTest, OtherRowsMayBeNaN) {
  constexpr int64_t kRows = 40, kIn = 50, kOut = 70;
  const DType dtype = GetParam().dtype;
  const std::vector<float> weight = Values(kOut * kIn, 1);
  const auto linear = MakePacked(GetParam(), MemoryRows(weight, kOut, kIn), {});
  std::vector<float> values = Values(kRows * kIn, 3);
  std::fill(values.begin() + kIn, values.end(), std::numeric_limits<float>::quiet_NaN());
  const Guarded x(dtype, kRows, kIn, values);
  Guarded out(dtype, kRows, kOut);
  RunCpuOps(GetParam(), 1, [&](Ops& ops) { ops.Linear(*linear, x.tensor(), out.tensor()); });
  const std::vector<float> got = out.floats();
  for (int64_t i = 0; i < kRows * kOut; ++i) {
    EXPECT_EQ(std::isnan(got[static_cast<std::size_t>(i)]), i >= kOut) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Float32, PackedLinearTest,
                         testing::ValuesIn(KernelSetups({DType::kFloat32})),
                         [](const auto& setup) { return Describe(setup.param); });
INSTANTIATE_TEST_SUITE_P(BFloat16, PackedLinearTest, testing::ValuesIn(PairSetups()),
                         [](const auto& setup) { return Describe(setup.param); });

TEST(SplitLinearTest, OneThreadCutsNothing) {
  EXPECT_EQ(SplitLinear(1, 4096, 6, 96, int64_t{1} << 40).tasks(), 1);
}

TEST(SplitLinearTest, LittleWorkIsNotShared) {
  EXPECT_EQ(SplitLinear(8, 1, 6, 96, 50'000).tasks(), 1);
}

TEST(SplitLinearTest, ColumnsFirst) {
  const LinearSplit split = SplitLinear(2, 16, 6, 24, 16 * 384 * 384);
  EXPECT_EQ(split.row_blocks, 1);
  EXPECT_EQ(split.column_parts, 12);
}

TEST(SplitLinearTest, RowsWhereColumnsDoNotDo) {
  const LinearSplit split = SplitLinear(16, 512, 64, 4, int64_t{1} << 30);
  EXPECT_EQ(split.column_parts, 4);
  EXPECT_EQ(split.row_blocks, 8);
}

TEST(ShareOfTest, CoversEverythingOnce) {
  int64_t next = 0;
  for (int64_t part = 0; part < 7; ++part) {
    const Share share = ShareOf(100, part, 7);
    EXPECT_EQ(share.begin, next);
    next = share.end;
  }
  EXPECT_EQ(next, 100);
}

}  // namespace
}  // namespace rose::cpu
