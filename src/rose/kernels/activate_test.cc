#include "rose/kernels/activate.h"

#include "rose/kernels/row_test.h"
#include "rose/kernels/shapes.h"

namespace rose::kernels {
namespace {

constexpr Activation kActivations[] = {
    Activation::kGelu, Activation::kGeluTanh, Activation::kRelu,     Activation::kSilu,
    Activation::kTanh, Activation::kSigmoid,  Activation::kLog1pRelu};

std::string Number(Activation activation) {
  return "activation " + std::to_string(static_cast<int>(activation));
}

class ActivateTest : public RowTest {
 protected:
  void ExpectActivate(Activation activation, DType dtype, RowShape shape, int64_t used,
                      int64_t offset);
  void ExpectGate(Activation activation, DType dtype, RowShape shape, int64_t used);
  void ExpectAddAndWiden(DType dtype, RowShape shape, int64_t used, int64_t offset);
};

void ActivateTest::ExpectActivate(Activation activation, DType dtype, RowShape shape, int64_t used,
                                  int64_t offset) {
  const auto [rows, cols] = shape;
  SCOPED_TRACE(Number(activation) + ", " + Name(dtype, rows, cols) + ", offset " +
               std::to_string(offset));
  HostTensor x = Random(dtype, rows, cols, 3);
  PoisonRows(x, used);
  const HostTensor bias = Random(dtype, 1, cols);
  const DeviceTensor device_bias(bias, offset);
  for (const bool biased : {true, false}) {
    const HostTensor want = Floats32(rows, cols);
    exact().Widen(x.tensor(), want.tensor());
    for (int64_t row = 0; biased && row < used; ++row) {
      const Tensor one = want.tensor().Rows(row, 1);
      exact().Add(one, bias.tensor(), one);
    }
    exact().Activate(activation, want.tensor().Rows(0, used));
    const DeviceTensor device_x(x, offset);
    MustSucceed(Activate(RowsUsed(used), activation, biased ? device_bias.tensor() : Tensor{},
                         device_x.tensor()));
    EXPECT_EQ(Difference(device_x.Host(), want, 0, rows), "") << "biased " << biased;
    EXPECT_EQ(device_x.BrokenGuard(), "");
  }
}

void ActivateTest::ExpectGate(Activation activation, DType dtype, RowShape shape, int64_t used) {
  const auto [rows, cols] = shape;
  SCOPED_TRACE(Number(activation) + ", " + Name(dtype, rows, cols));
  HostTensor x = Random(dtype, rows, 2 * cols, 2);
  PoisonRows(x, used);
  const DeviceTensor device_x(x), out(dtype, rows, cols);
  const HostTensor want = Floats32(rows, cols);
  MustSucceed(Gate(RowsUsed(used), activation, device_x.tensor(), out.tensor()));
  exact().Gate(activation, x.tensor(), want.tensor());
  EXPECT_EQ(Difference(out.Host(), want, 0, used), "");
  EXPECT_EQ(NotZero(out.Host(), used, rows), "");
  EXPECT_EQ(out.BrokenGuard(), "");
}

void ActivateTest::ExpectAddAndWiden(DType dtype, RowShape shape, int64_t used, int64_t offset) {
  const auto [rows, cols] = shape;
  SCOPED_TRACE(Name(dtype, rows, cols) + ", offset " + std::to_string(offset));
  HostTensor x = Random(dtype, rows, cols), y = Random(dtype, rows, cols);
  PoisonRows(x, used);
  PoisonRows(y, used);
  const DeviceTensor device_x(x, offset), device_y(y, offset), wide(DType::kFloat32, rows, cols);
  const HostTensor want = Floats32(rows, cols);
  MustSucceed(Widen(RowsUsed(used), device_x.tensor(), wide.tensor()));
  exact().Widen(x.tensor(), want.tensor());
  EXPECT_EQ(Difference(wide.Host(), want, 0, used, {.absolute = 0, .relative = 0}), "");
  EXPECT_EQ(NotZero(wide.Host(), used, rows), "");
  EXPECT_EQ(wide.BrokenGuard(), "");

  const HostTensor sum(dtype, rows, cols);  // Rounded once, as the kernel does.
  MustSucceed(Add(RowsUsed(used), device_x.tensor(), device_y.tensor(), device_y.tensor()));
  exact().Add(x.tensor(), y.tensor(), sum.tensor());
  EXPECT_EQ(Difference(device_y.Host(), sum, 0, used, {.absolute = 0, .relative = 0}), "");
  EXPECT_EQ(NotZero(device_y.Host(), used, rows), "");
  EXPECT_EQ(device_y.BrokenGuard(), "");
}

TEST_F(ActivateTest, IsTheFunctionWithAndWithoutBias) {
  for (const DType dtype : kDTypes) {
    for (const Activation activation : kActivations) {
      for (const RowShape& shape : kRowShapes) {
        ExpectActivate(activation, dtype, shape, shape.rows, 0);
      }
      ExpectActivate(activation, dtype, {600, 4096}, 598, 0);
    }
  }
}

TEST_F(ActivateTest, LeavesPaddingAloneAndTakesRowsOffAlignment) {
  for (const DType dtype : kDTypes) {
    for (const int64_t offset : {0, 1, 2}) {
      for (const int64_t used : {0, 1, 6}) {
        ExpectActivate(Activation::kGelu, dtype, {9, 384}, used, offset);
      }
    }
  }
}

TEST_F(ActivateTest, GateIsTheFunctionOfOneHalfTimesTheOther) {
  for (const DType dtype : kDTypes) {
    for (const Activation activation : kActivations) {
      for (const RowShape& shape : kRowShapes) ExpectGate(activation, dtype, shape, shape.rows);
    }
    for (const RowShape& shape : kManyRowShapes) {
      ExpectGate(Activation::kSilu, dtype, shape, shape.rows - 3);
    }
    for (const int64_t used : {0, 1, 6}) ExpectGate(Activation::kGelu, dtype, {9, 768}, used);
  }
}

TEST_F(ActivateTest, AddAndWidenRoundOnce) {
  for (const DType dtype : kDTypes) {
    for (const RowShape& shape : kRowShapes) ExpectAddAndWiden(dtype, shape, shape.rows, 0);
    for (const RowShape& shape : kManyRowShapes) ExpectAddAndWiden(dtype, shape, shape.rows - 5, 0);
    for (const int64_t offset : {0, 1, 2}) ExpectAddAndWiden(dtype, {9, 384}, 4, offset);
  }
}

/// Over the whole range of float32, with what is no number.
TEST_F(ActivateTest, FollowsTheFunctionEverywhere) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> points = {
      0.0f,  -0.0f,  1e-38f, -1e-38f, 1e-20f,    -1e-20f,
      88,    -88,    104,    -104,    1e4f,      -1e4f,
      1e19f, -1e19f, 3e38f,  -3e38f,  kInfinity, std::numeric_limits<float>::quiet_NaN()};
  for (float x = -30; x <= 30; x += 0.003f) points.push_back(x);
  const auto count = static_cast<int64_t>(points.size());
  const HostTensor x(DType::kFloat32, 1, count, points);
  for (const Activation activation : kActivations) {
    const DeviceTensor device_x(x);
    const HostTensor want = Floats32(1, count);
    MustSucceed(Activate(AllRows(), activation, /*bias=*/{}, device_x.tensor()));
    exact().Widen(x.tensor(), want.tensor());
    exact().Activate(activation, want.tensor());
    EXPECT_EQ(Difference(device_x.Host(), want, 0, 1, {.absolute = 1e-6, .relative = 1e-6}), "")
        << Number(activation);
  }
}

}  // namespace
}  // namespace rose::kernels
