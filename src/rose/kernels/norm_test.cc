#include "rose/kernels/norm.h"

#include "rose/core/element.h"
#include "rose/kernels/row_test.h"
#include "rose/kernels/shapes.h"

namespace rose::kernels {
namespace {

class NormTest : public RowTest {
 protected:
  /// A norm on the host and the same on the device.
  struct Weights {
    HostTensor weight, bias;
    DeviceTensor device_weight, device_bias;

    NormParams Host(NormKind kind, bool biased) const {
      return Params(kind, weight.tensor(), biased ? bias.tensor() : Tensor{});
    }
    NormParams Device(NormKind kind, bool biased) const {
      return Params(kind, device_weight.tensor(), biased ? device_bias.tensor() : Tensor{});
    }

   private:
    static NormParams Params(NormKind kind, Tensor weight, Tensor bias) {
      return {.kind = kind, .weight = weight, .bias = bias, .epsilon = 1e-5f};
    }
  };

  Weights MakeWeights(int64_t cols) {
    const HostTensor weight = Random(DType::kFloat32, 1, cols, 0.5f, 1);
    const HostTensor bias = Random(DType::kFloat32, 1, cols);
    return {weight, bias, DeviceTensor(weight), DeviceTensor(bias)};
  }

  /// All three operations over one shape; `offset` moves the activations off alignment.
  void ExpectAll(DType dtype, RowShape shape, int64_t used, int64_t offset);
};

void NormTest::ExpectAll(DType dtype, RowShape shape, int64_t used, int64_t offset) {
  const auto [rows, cols] = shape;
  SCOPED_TRACE(Name(dtype, rows, cols) + ", " + std::to_string(used) + " used, offset " +
               std::to_string(offset));
  const Weights weights = MakeWeights(cols);
  HostTensor x = Random(dtype, rows, cols, 3, 1), y = Random(dtype, rows, cols);
  PoisonRows(x, used);
  PoisonRows(y, used);
  const HostTensor bias = Random(dtype, 1, cols), shifted = Floats32(rows, cols);
  for (int64_t i = 0; i < rows * cols; ++i) {
    SetElement(shifted.tensor(), i,
               GetElement(x.tensor(), i) + GetElement(bias.tensor(), i % cols));
  }
  const DeviceTensor device_x(x, offset), device_y(y, offset), device_bias(bias, offset);
  const Launch launch = RowsUsed(used);
  for (const NormKind kind : {NormKind::kLayer, NormKind::kRms}) {
    for (const bool biased : {true, false}) {
      const NormParams host = weights.Host(kind, biased), device = weights.Device(kind, biased);
      const HostTensor want = Floats32(rows, cols);
      DeviceTensor out(dtype, rows, cols, offset);
      const auto expect_out = [&] {
        const HostTensor got = out.Host();
        EXPECT_EQ(Difference(got, want, 0, used, {.absolute = 2e-5}), "");
        EXPECT_EQ(NotZero(got, used, rows), "");
        EXPECT_EQ(out.BrokenGuard(), "");
        out.Poison();
      };
      MustSucceed(Norm(launch, device, device_x.tensor(), out.tensor()));
      exact().Norm(host, x.tensor(), want.tensor());
      expect_out();

      MustSucceed(Norm(launch, device, device_x.tensor(), out.tensor(), device_bias.tensor()));
      exact().Norm(host, shifted.tensor(), want.tensor());
      expect_out();

      MustSucceed(AddNorm(launch, device, device_x.tensor(), device_y.tensor(), out.tensor()));
      exact().AddNorm(host, x.tensor(), y.tensor(), want.tensor());
      expect_out();

      const DeviceTensor residual(x, offset);
      const HostTensor sum(dtype, rows, cols);
      MustSucceed(ResidualNorm(launch, device, device_y.tensor(), residual.tensor(), out.tensor()));
      exact().Add(x.tensor(), y.tensor(), sum.tensor());
      exact().Norm(host, sum.tensor(), want.tensor());
      expect_out();
      EXPECT_EQ(Difference(residual.Host(), sum, 0, used, {.absolute = 0, .relative = 0}), "");
      EXPECT_EQ(NotZero(residual.Host(), used, rows), "");
      EXPECT_EQ(residual.BrokenGuard(), "");
    }
  }
}

TEST_F(NormTest, AreTheirDefaultBodies) {
  for (const DType dtype : kDTypes) {
    for (const RowShape& shape : kRowShapes) ExpectAll(dtype, shape, shape.rows, /*offset=*/0);
  }
}

TEST_F(NormTest, AreTheSameForManyRows) {
  for (const DType dtype : kDTypes) {
    for (const RowShape& shape : kManyRowShapes) ExpectAll(dtype, shape, shape.rows - 3, 0);
  }
}

TEST_F(NormTest, TakeRowsOffAlignmentAndMakeZerosOfPadding) {
  for (const DType dtype : kDTypes) {
    for (const int64_t offset : {0, 1, 2}) {
      for (const int64_t used : {0, 1, 5}) ExpectAll(dtype, {9, 384}, used, offset);
      ExpectAll(dtype, {9, 770}, 4, offset);
    }
  }
}

TEST_F(NormTest, MayBeInPlace) {
  for (const DType dtype : kDTypes) {
    for (const auto& [rows, cols] : kRowShapes) {
      SCOPED_TRACE(Name(dtype, rows, cols));
      const Weights weights = MakeWeights(cols);
      const NormParams norm = weights.Device(NormKind::kLayer, true);
      const HostTensor x = Random(dtype, rows, cols, 3), y = Random(dtype, rows, cols);
      const DeviceTensor device_x(x), device_y(y), out(dtype, rows, cols);
      MustSucceed(Norm(AllRows(), norm, device_x.tensor(), out.tensor()));
      MustSucceed(Norm(AllRows(), norm, device_x.tensor(), device_x.tensor()));
      EXPECT_EQ(BitDifference(device_x.Host(), out.Host()), "");

      const DeviceTensor again(x), residual(y);
      MustSucceed(AddNorm(AllRows(), norm, again.tensor(), residual.tensor(), out.tensor()));
      MustSucceed(AddNorm(AllRows(), norm, again.tensor(), residual.tensor(), again.tensor()));
      EXPECT_EQ(BitDifference(again.Host(), out.Host()), "");
      const DeviceTensor third(x);
      MustSucceed(AddNorm(AllRows(), norm, third.tensor(), residual.tensor(), residual.tensor()));
      EXPECT_EQ(BitDifference(residual.Host(), out.Host()), "");
    }
  }
}

TEST_F(NormTest, LoseNothingToALargeMean) {
  constexpr int64_t kRows = 4;
  for (const int64_t cols : {384, 1024, 1025}) {
    const Weights weights = MakeWeights(cols);
    const HostTensor x = Random(DType::kFloat32, kRows, cols, 1, 4000);
    const DeviceTensor device_x(x), out(DType::kFloat32, kRows, cols);
    const HostTensor want = Floats32(kRows, cols);
    MustSucceed(
        Norm(AllRows(), weights.Device(NormKind::kLayer, true), device_x.tensor(), out.tensor()));
    exact().Norm(weights.Host(NormKind::kLayer, true), x.tensor(), want.tensor());
    // The sum of the values is rounded to float32, and with it their mean; E[x²] − E[x]² would be
    // off by more than the variance.
    EXPECT_EQ(Difference(out.Host(), want, 0, kRows, {.absolute = 1e-2}), "");
  }
}

TEST_F(NormTest, KeepNaNInItsRow) {
  for (const int64_t cols : {384, 1024, 1025}) {
    const Weights weights = MakeWeights(cols);
    HostTensor x = Random(DType::kBFloat16, 3, cols);
    x.Set(cols + 5, std::numeric_limits<float>::quiet_NaN());
    const DeviceTensor device_x(x), out(DType::kBFloat16, 3, cols);
    const HostTensor want = Floats32(3, cols);
    MustSucceed(
        Norm(AllRows(), weights.Device(NormKind::kRms, true), device_x.tensor(), out.tensor()));
    exact().Norm(weights.Host(NormKind::kRms, true), x.tensor(), want.tensor());
    EXPECT_EQ(Difference(out.Host(), want, 0, 3, {.absolute = 2e-5}), "");
  }
}

// A chain of kernels that may overlap gives what it gives one after the other; captured once, it
// can be replayed for other counts of rows.
TEST_F(NormTest, MayOverlapAndBeCapturedForAnyCountOfRows) {
  constexpr int64_t kRows = 40, kCols = 1024;
  const Weights weights = MakeWeights(kCols);
  const NormParams norm = weights.Device(NormKind::kRms, false);
  const HostTensor x = Random(DType::kBFloat16, kRows, kCols),
                   y = Random(DType::kBFloat16, kRows, kCols);
  const DeviceTensor device_y(y), out(DType::kBFloat16, kRows, kCols);
  DeviceArray<int32_t> used(std::vector<int32_t>{0});
  const auto chain = [&](const DeviceTensor& residual, bool overlap) {
    const Launch launch{.stream = stream(), .rows_used = used.data(), .overlap = overlap};
    for (int i = 0; i < 20; ++i) {
      const Tensor added = i == 0 ? device_y.tensor() : out.tensor();
      MustSucceed(ResidualNorm(launch, norm, added, residual.tensor(), out.tensor()));
    }
  };
  const DeviceTensor captured(x);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t graph_exec = nullptr;
  MustSucceed(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
  chain(captured, /*overlap=*/true);
  MustSucceed(cudaStreamEndCapture(stream(), &graph));
  MustSucceed(cudaGraphInstantiate(&graph_exec, graph, 0));
  for (const int32_t rows : {3, 40, 17}) {
    used.Set({rows});
    const DeviceTensor plain(x);
    chain(plain, /*overlap=*/false);
    const HostTensor want = out.Host(), want_residual = plain.Host();
    MustSucceed(cudaMemcpy(captured.tensor().data, x.tensor().data, x.tensor().bytes(),
                           cudaMemcpyHostToDevice));
    MustSucceed(cudaDeviceSynchronize());  // A test's stream waits for no copy.
    MustSucceed(cudaGraphLaunch(graph_exec, stream()));
    EXPECT_EQ(BitDifference(out.Host(), want), "") << rows;
    EXPECT_EQ(BitDifference(captured.Host(), want_residual), "") << rows;
  }
  MustSucceed(cudaGraphExecDestroy(graph_exec));
  MustSucceed(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace rose::kernels
