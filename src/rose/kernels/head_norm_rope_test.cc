#include "rose/kernels/head_norm_rope.h"

#include <algorithm>

#include "rose/kernels/row_test.h"

namespace rose::kernels {
namespace {

constexpr int64_t kPositions = 300;

struct HeadShape {
  int64_t rows;
  int64_t heads;
  int64_t kv_heads;
  int head_dim;
  int rotary_dim;
};

// Qwen3, ModernBERT, one head, heads that are no power of two or odd, heads turned in part, counts
// of heads that a thread cannot take four or two of.
const std::vector<HeadShape> kHeadShapes = {
    {1, 16, 8, 128, 128}, {16, 16, 8, 128, 128}, {0, 16, 8, 128, 128}, {129, 12, 12, 64, 64},
    {3, 1, 1, 32, 32},    {5, 3, 1, 96, 96},     {4, 2, 2, 80, 32},    {7, 14, 2, 64, 64},
    {2, 2, 1, 7, 6},      {3, 4, 4, 256, 256},   {2, 2, 2, 512, 512},  {5, 2, 1, 128, 64}};
const std::vector<HeadShape> kManyHeads = {{1600, 16, 8, 128, 128},
                                           {3100, 12, 12, 64, 64},
                                           {3000, 14, 2, 64, 64},
                                           {9000, 3, 1, 128, 128},
                                           {700, 3, 2, 80, 40}};

class HeadNormRopeTest : public RowTest {
 protected:
  /// A norm of heads on both sides.
  struct Weights {
    HostTensor weight, bias;
    DeviceTensor device_weight, device_bias;

    NormParams Host(NormKind kind) const { return Params(kind, weight.tensor(), bias.tensor()); }
    NormParams Device(NormKind kind) const {
      return Params(kind, device_weight.tensor(), device_bias.tensor());
    }

   private:
    static NormParams Params(NormKind kind, Tensor weight, Tensor bias) {
      return {.kind = kind,
              .weight = weight,
              .bias = kind == NormKind::kLayer ? bias : Tensor{},
              .epsilon = 1e-6f};
    }
  };

  Weights MakeWeights(int64_t head_dim) {
    const HostTensor weight = Random(DType::kFloat32, 1, head_dim, 0.5f, 1);
    const HostTensor bias = Random(DType::kFloat32, 1, head_dim);
    return {weight, bias, DeviceTensor(weight), DeviceTensor(bias)};
  }
  HostTensor MakeTurns(int rotary_dim);
  void ExpectAll(DType dtype, const HeadShape& shape, int64_t used, NormKind kind, int64_t offset);
};

HostTensor HeadNormRopeTest::MakeTurns(int rotary_dim) {
  std::vector<float> turns;
  for (int64_t position = 0; position < kPositions; ++position) {
    std::vector<double> angles;
    for (int i = 0; i < rotary_dim / 2; ++i) {
      angles.push_back(static_cast<double>(position) * std::pow(1e4, -2.0 * i / rotary_dim));
    }
    for (const double angle : angles) turns.push_back(static_cast<float>(std::cos(angle)));
    for (const double angle : angles) turns.push_back(static_cast<float>(std::sin(angle)));
  }
  return {DType::kFloat32, kPositions, rotary_dim, turns};
}

void HeadNormRopeTest::ExpectAll(DType dtype, const HeadShape& shape, int64_t used, NormKind kind,
                                 int64_t offset) {
  const auto& [rows, heads, kv_heads, head_dim, rotary_dim] = shape;
  const int64_t cols = (heads + 2 * kv_heads) * head_dim;
  SCOPED_TRACE(Name(dtype, rows, cols) + ", heads of " + std::to_string(head_dim) + ", " +
               std::to_string(used) + " used, offset " + std::to_string(offset) + ", norm " +
               std::to_string(static_cast<int>(kind)));
  HostTensor x = Random(dtype, rows, cols, 2, 0.5f);
  PoisonRows(x, used);
  std::vector<int32_t> positions = Ids(rows, kPositions);
  std::fill(positions.begin() + used, positions.end(), 0x7fffffff);
  const DeviceArray<int32_t> device_positions(positions);
  const std::span<const int32_t> host_positions = std::span(positions).first(used);
  const HostTensor turns = MakeTurns(rotary_dim);
  const DeviceTensor device_turns(turns);
  const RopeParams host_rope{
      .table = turns.tensor(), .head_dim = head_dim, .rotary_dim = rotary_dim};
  RopeParams rope = host_rope;
  rope.table = device_turns.tensor();
  const Weights q = MakeWeights(head_dim), k = MakeWeights(head_dim);
  const Launch launch = RowsUsed(used);
  const HostTensor want = Floats32(rows, cols);
  const auto expect = [&](const char* what, const DeviceTensor& got) {
    EXPECT_EQ(Difference(got.Host(), want, 0, rows, {.absolute = 2e-5}), "") << what;
    EXPECT_EQ(got.BrokenGuard(), "") << what;
    exact().Widen(x.tensor(), want.tensor());
  };
  exact().Widen(x.tensor(), want.tensor());
  const Tensor want_used = want.tensor().Rows(0, used);

  const DeviceTensor fused(x, offset);
  const std::span device_ids(device_positions.data(), static_cast<std::size_t>(rows));
  MustSucceed(HeadNormRope(
      launch, {q.Device(kind), k.Device(kind), rope, device_ids, heads, kv_heads}, fused.tensor()));
  exact().HeadNormRope({q.Host(kind), k.Host(kind), host_rope, host_positions, heads, kv_heads},
                       want_used);
  expect("HeadNormRope", fused);

  const DeviceTensor turned(x, offset);
  MustSucceed(Rope(launch, rope, device_positions.data(), heads + kv_heads, turned.tensor()));
  exact().Rope(host_rope, host_positions, heads + kv_heads, want_used);
  expect("Rope", turned);

  const DeviceTensor normed(x, offset);
  MustSucceed(HeadNorm(launch, k.Device(kind), heads * head_dim, kv_heads, normed.tensor()));
  exact().HeadNorm(k.Host(kind), heads * head_dim, kv_heads, want_used);
  expect("HeadNorm", normed);
}

TEST_F(HeadNormRopeTest, AreTheirDefaultBodies) {
  for (const DType dtype : kDTypes) {
    for (const NormKind kind : {NormKind::kRms, NormKind::kLayer}) {
      for (const HeadShape& shape : kHeadShapes) ExpectAll(dtype, shape, shape.rows, kind, 0);
    }
  }
}

TEST_F(HeadNormRopeTest, AreTheSameForManyRows) {
  for (const DType dtype : kDTypes) {
    for (const HeadShape& shape : kManyHeads) {
      ExpectAll(dtype, shape, shape.rows - 3, NormKind::kRms, 0);
    }
  }
}

TEST_F(HeadNormRopeTest, LeavePaddingAloneAndTakeRowsOffAlignment) {
  for (const DType dtype : kDTypes) {
    for (const int64_t offset : {0, 1, 2}) {
      for (const int64_t used : {0, 1, 5}) {
        ExpectAll(dtype, {9, 16, 8, 128, 128}, used, NormKind::kRms, offset);
      }
    }
  }
}

}  // namespace
}  // namespace rose::kernels
