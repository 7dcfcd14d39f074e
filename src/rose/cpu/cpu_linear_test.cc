#include "rose/cpu/cpu_linear.h"

#include <gtest/gtest.h>

#include <memory>

#include "absl/functional/function_ref.h"
#include "rose/core/reference_backend.h"
#include "rose/core/reference_ops.h"
#include "rose/cpu/onednn_linear.h"
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

/// Plain and with GELU, with and without bias, against the reference.
void CompareShapes(const Setup& setup, MakeLinear make) {
  for (const auto [rows, k, n] : kShapes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << k << " x " << n);
    const std::vector<float> values = Values(n * k, 1), biases = Values(n, 2);
    const MemoryRows weight(values, n, k);
    const Guarded x(setup.dtype, rows, k, Values(rows * k, 3));
    for (const bool biased : {false, true}) {
      const std::span<const float> bias = biased ? std::span(biases) : std::span<const float>();
      ReferenceBackend backend(setup.dtype);
      const LinearWeight& oracle = *backend.MakeLinear(weight, bias, setup.dtype);
      const std::unique_ptr<CpuLinear> linear = make(weight, bias);
      ReferenceOps reference(setup.dtype, 1024);
      Guarded expected(setup.dtype, rows, n), actual(setup.dtype, rows, n);
      reference.Linear(oracle, x.tensor(), expected.tensor());
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

class CpuLinearTest : public testing::TestWithParam<Setup> {
 protected:
  void SetUp() override {
    if (const std::string reason = ReasonToSkip(GetParam()); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
  }
};
class PackedLinearTest : public CpuLinearTest {};
class OneDnnLinearTest : public CpuLinearTest {};

TEST_P(PackedLinearTest, IsTheReference) {
  CompareShapes(GetParam(), [](const RowSource& weight, std::span<const float> bias) {
    return std::make_unique<PackedLinear>(KernelsOf(GetParam()), weight, bias);
  });
}

TEST_P(PackedLinearTest, ARowIsTheSameInAnyCompany) {
  constexpr int64_t kRows = 211, kIn = 770, kOut = 100;
  const std::vector<float> weight = Values(kOut * kIn, 1);
  const PackedLinear linear(KernelsOf(GetParam()), MemoryRows(weight, kOut, kIn), {});
  const Guarded x(DType::kFloat32, kRows, kIn, Values(kRows * kIn, 3));
  Guarded all(DType::kFloat32, kRows, kOut);
  RunCpuOps(GetParam(), 1, [&](Ops& ops) { ops.Linear(linear, x.tensor(), all.tensor()); });
  const std::vector<float> values = all.floats();
  for (const int64_t row : {0, 5, 95, 96, 210}) {
    Tensor one = x.tensor();
    one.rows = 1;
    one.data = one.f32() + row * kIn;
    Guarded alone(DType::kFloat32, 1, kOut);
    RunCpuOps(GetParam(), 1, [&](Ops& ops) { ops.Linear(linear, one, alone.tensor()); });
    EXPECT_EQ(alone.floats(),
              std::vector<float>(values.begin() + row * kOut, values.begin() + (row + 1) * kOut));
  }
}

INSTANTIATE_TEST_SUITE_P(All, PackedLinearTest, testing::ValuesIn(KernelSetups({DType::kFloat32})),
                         [](const auto& setup) { return Describe(setup.param); });

// oneDNN keeps the first cap that it is given, so that only a process for each test (as ctest runs
// them) tries all.
TEST_P(OneDnnLinearTest, IsTheReference) {
  const absl::Status status = CheckOneDnn(GetParam().isa, GetParam().dtype);
  if (!status.ok()) GTEST_SKIP() << status.message();
  OneDnnProducts products;
  CompareShapes(GetParam(), [&](const RowSource& weight, std::span<const float> bias) {
    return std::make_unique<OneDnnLinear>(products, KernelsFor(GetParam().isa), GetParam().dtype,
                                          weight, bias);
  });
}

INSTANTIATE_TEST_SUITE_P(All, OneDnnLinearTest,
                         testing::ValuesIn(Setups({Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Bf16,
                                                   Isa::kAmx},
                                                  {DType::kFloat32, DType::kBFloat16})),
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
  EXPECT_EQ(split.column_parts, 8);
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
