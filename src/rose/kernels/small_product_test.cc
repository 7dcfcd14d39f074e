#include "rose/kernels/small_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "rose/core/bfloat16.h"
#include "rose/kernels/small_product_cases.h"
#include "rose/kernels/small_product_plans.h"

namespace rose::kernels {
namespace {

constexpr double kErrorMax = 5e-3;
constexpr float kEpsilon = 1e-6f;

/// A tensor in device memory between two bands that nobody may touch. Full of NaN at first.
class DeviceTensor {
 public:
  DeviceTensor(int64_t rows, int64_t cols, DType dtype) : tensor_{nullptr, dtype, rows, cols} {
    EXPECT_EQ(cudaMalloc(&memory_, Size()), cudaSuccess);
    EXPECT_EQ(cudaMemset(memory_, 0xff, Size()), cudaSuccess);
    tensor_.data = static_cast<std::byte*>(memory_) + kBand;
  }
  DeviceTensor(int64_t rows, int64_t cols, const std::vector<BFloat16>& values)
      : DeviceTensor(rows, cols, DType::kBFloat16) {
    Put(values);
  }
  DeviceTensor(int64_t rows, int64_t cols, const std::vector<float>& values)
      : DeviceTensor(rows, cols, DType::kFloat32) {
    Put(values);
  }
  ~DeviceTensor() { cudaFree(memory_); }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  Tensor tensor() const { return tensor_; }

  template <typename Element>
  void Put(const std::vector<Element>& values) {
    const std::size_t bytes = values.size() * sizeof(Element);
    EXPECT_EQ(cudaMemcpy(tensor_.data, values.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  }
  template <typename Element>
  std::vector<Element> Get() const {
    std::vector<Element> values(static_cast<std::size_t>(tensor_.elements()));
    EXPECT_EQ(cudaMemcpy(values.data(), tensor_.data, values.size() * sizeof(Element),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }
  void ExpectBandsUntouched(const std::string& what) const {
    std::vector<unsigned char> all(Size());
    EXPECT_EQ(cudaMemcpy(all.data(), memory_, all.size(), cudaMemcpyDeviceToHost), cudaSuccess);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= kBand && i < all.size() - kBand) continue;
      ASSERT_EQ(all[i], 0xff) << what << ": byte " << i << " of " << all.size();
    }
  }

 private:
  static constexpr std::size_t kBand = 4096;
  std::size_t Size() const { return static_cast<std::size_t>(tensor_.bytes()) + 2 * kBand; }

  Tensor tensor_;
  void* memory_ = nullptr;
};

class Numbers {
 public:
  std::vector<float> Floats(int64_t n, float mean, float deviation) {
    std::normal_distribution<float> normal(mean, deviation);
    std::vector<float> values(static_cast<std::size_t>(n));
    for (float& value : values) value = normal(engine_);
    return values;
  }
  std::vector<BFloat16> Rounded(int64_t n, float mean, float deviation) {
    std::vector<BFloat16> values;
    for (const float value : Floats(n, mean, deviation)) {
      values.push_back(BFloat16::FromFloat(value));
    }
    return values;
  }

 private:
  std::minstd_rand engine_{20261130};
};

double Activate(Activation activation, double x) {
  switch (activation) {
    case Activation::kGelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Activation::kGeluTanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
    default:
      return std::max(x, 0.0);
  }
}

/// One product with everything around it, on the host and on the device.
class Product {
 public:
  Product(const SmallProductCase& product, int64_t tokens, DType bias_dtype, Numbers& numbers)
      : case_(product),
        tokens_(tokens),
        x_(numbers.Rounded(tokens * K(), 0.1f, 1)),
        weight_(numbers.Rounded(N() * K(), 0, 1 / std::sqrt(static_cast<float>(K())))),
        norm_weight_(numbers.Floats(K(), 1, 0.3f)),
        bias_(numbers.Rounded(N(), 0, 0.5f)),
        residual_(numbers.Rounded(tokens * N(), 0, 1)),
        device_x_(tokens, K(), x_),
        device_weight_(N(), K(), weight_),
        packed_(N(), K(), DType::kBFloat16),
        device_norm_weight_(1, K(), norm_weight_),
        squares_(tokens, K() / kPanelRows, DType::kFloat32),
        device_bias_(1, N(), bias_dtype),
        out_(tokens, case_.out_cols(), DType::kBFloat16),
        squares_out_(tokens, N() / kPanelRows, DType::kFloat32) {
    if (bias_dtype == DType::kBFloat16) {
      device_bias_.Put(bias_);
    } else {
      std::vector<float> wide;
      for (const BFloat16 value : bias_) wide.push_back(value.ToFloat());
      device_bias_.Put(wide);
    }
    const bool gated = case_.form == SmallProductForm::kGate;
    EXPECT_EQ(PackSmallProduct({}, device_weight_.tensor(), gated, packed_.tensor().data),
              cudaSuccess);
    EXPECT_EQ(SumSquares({}, device_x_.tensor(), squares_.tensor()), cudaSuccess);
  }

  /// Rows from `used` on hold NaN.
  void PoisonFrom(int64_t used) {
    used_ = used;
    std::vector<BFloat16> x = x_;
    for (std::size_t i = static_cast<std::size_t>(used * K()); i < x.size(); ++i) {
      x[i] = BFloat16{0x7fff};
    }
    device_x_.Put(x);
    EXPECT_EQ(SumSquares({}, device_x_.tensor(), squares_.tensor()), cudaSuccess);
  }

  void Check(const SmallProductPlan& plan) {
    const std::string what = Name(plan);
    const std::vector<BFloat16> out = Run(plan, what);
    const std::vector<BFloat16> again = Run(plan, what);
    const std::size_t used = static_cast<std::size_t>(used_ * case_.out_cols());
    EXPECT_EQ(std::memcmp(out.data(), again.data(), used * sizeof(BFloat16)), 0)
        << what << ": two runs differ";
    Compare(out, what);
    out_.ExpectBandsUntouched(what);
    if (case_.squares_out) CompareSquares(out, what);
  }

 private:
  int64_t N() const { return case_.out_features; }
  int64_t K() const { return case_.in_features; }

  std::string Name(const SmallProductPlan& plan) const {
    return std::string(case_.name) + " " + std::to_string(N()) + " x " + std::to_string(K()) +
           ", " + std::to_string(used_) + " of " + std::to_string(tokens_) + " tokens, plan " +
           std::to_string(plan.warpgroups) + " warpgroups, " + std::to_string(plan.rows) +
           " rows, split " + std::to_string(plan.split) + ", depth " + std::to_string(plan.depth);
  }

  std::vector<BFloat16> Run(const SmallProductPlan& plan, const std::string& what) {
    SmallProductEpilogue epilogue = {.form = case_.form, .activation = case_.activation};
    if (case_.bias) epilogue.bias = device_bias_.tensor();
    if (case_.normed) {
      epilogue.norm = {
          .kind = NormKind::kRms, .weight = device_norm_weight_.tensor(), .epsilon = kEpsilon};
      epilogue.squares = squares_.tensor();
    }
    if (case_.form == SmallProductForm::kResidual) {
      out_.Put(residual_);  // In place, as models do it.
      epilogue.residual = out_.tensor();
    } else {
      out_.Put(std::vector<BFloat16>(static_cast<std::size_t>(out_.tensor().elements()),
                                     BFloat16{0x7fff}));
    }
    if (case_.squares_out) epilogue.squares_out = squares_out_.tensor();
    EXPECT_EQ(
        SmallProduct({}, plan, packed_.tensor().data, device_x_.tensor(), epilogue, out_.tensor()),
        cudaSuccess)
        << what;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << what;
    return out_.Get<BFloat16>();
  }

  double Scale(int64_t token) const {
    if (!case_.normed) return 1;
    double squares = 0;
    for (int64_t k = 0; k < K(); ++k) {
      const double value = x_[token * K() + k].ToFloat();
      squares += value * value;
    }
    return 1 / std::sqrt(squares / static_cast<double>(K()) + kEpsilon);
  }

  /// x Wᵀ + b at one place, in double.
  double Sum(int64_t token, int64_t row, double scale) const {
    const BFloat16* x = x_.data() + token * K();
    const BFloat16* weight = weight_.data() + row * K();
    double sum = 0;
    for (int64_t k = 0; k < K(); ++k) {
      const float a = case_.normed ? x[k].ToFloat() * norm_weight_[k] : x[k].ToFloat();
      sum += static_cast<double>(a) * weight[k].ToFloat();
    }
    return sum * scale + (case_.bias ? bias_[row].ToFloat() : 0);
  }

  double Want(int64_t token, int64_t column, double scale) const {
    if (case_.form == SmallProductForm::kGate) {
      return Activate(*case_.activation, Sum(token, column, scale)) *
             Sum(token, column + case_.out_cols(), scale);
    }
    const double sum = Sum(token, column, scale);
    if (case_.form == SmallProductForm::kResidual) {
      return sum + residual_[token * N() + column].ToFloat();
    }
    return case_.activation ? Activate(*case_.activation, sum) : sum;
  }

  /// Every third place, another third in each row.
  void Compare(const std::vector<BFloat16>& out, const std::string& what) const {
    const int64_t cols = case_.out_cols();
    double errors = 0, squares = 0;
    int64_t wrong = 0;
    std::string first;
    for (int64_t token = 0; token < used_; ++token) {
      const double scale = Scale(token);
      for (int64_t column = token % 3; column < cols; column += 3) {
        const double want = Want(token, column, scale);
        const double got = out[token * cols + column].ToFloat();
        errors += (got - want) * (got - want);
        squares += want * want;
        if (std::abs(got - want) <= 0.03 * (1 + std::abs(want))) continue;
        if (++wrong == 1) {
          first = "row " + std::to_string(token) + " column " + std::to_string(column) + ": got " +
                  std::to_string(got) + ", want " + std::to_string(want);
        }
      }
    }
    EXPECT_EQ(wrong, 0) << what << ": first at " << first;
    EXPECT_LE(std::sqrt(errors / squares), kErrorMax) << what;
    for (int64_t i = 0; i < used_ * cols; ++i) {
      ASSERT_TRUE(std::isfinite(out[i].ToFloat()))
          << what << ": row " << i / cols << " column " << i % cols;
    }
  }

  void CompareSquares(const std::vector<BFloat16>& out, const std::string& what) const {
    const std::vector<float> squares = squares_out_.Get<float>();
    const int64_t panels = N() / kPanelRows;
    for (int64_t i = 0; i < used_ * panels; ++i) {
      double want = 0;
      for (int64_t c = 0; c < kPanelRows; ++c) {
        const double value = out[i / panels * N() + i % panels * kPanelRows + c].ToFloat();
        want += value * value;
      }
      ASSERT_NEAR(squares[i], want, 1e-5 * want)
          << what << ": sum of squares, row " << i / panels << " panel " << i % panels;
    }
    squares_out_.ExpectBandsUntouched(what);
  }

  SmallProductCase case_;
  int64_t tokens_;
  int64_t used_ = tokens_;
  std::vector<BFloat16> x_, weight_;
  std::vector<float> norm_weight_;
  std::vector<BFloat16> bias_, residual_;
  DeviceTensor device_x_, device_weight_, packed_, device_norm_weight_, squares_, device_bias_;
  DeviceTensor out_, squares_out_;
};

class SmallProductTest : public testing::Test {
 protected:
  void SetUp() override {
    int major = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (error != cudaSuccess) GTEST_SKIP() << "no GPU: " << cudaGetErrorString(error);
    if (major != 9) GTEST_SKIP() << "no GPU: of compute capability 9.0";
  }
  Numbers numbers_;
};

TEST_F(SmallProductTest, ComputesTheProductsOfModels) {
  for (const SmallProductLayer& layer : kSmallProductLayers) {
    for (const SmallProductCase& product : layer.products) {
      for (const int64_t tokens : {16, 32, 48, 64, 96, 128}) {
        const auto plan = ChooseSmallProduct(product.Shape(tokens));
        ASSERT_TRUE(plan) << layer.name << " " << product.name;
        Product(product, tokens, DType::kBFloat16, numbers_).Check(*plan);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(SmallProductTest, ComputesTheSameWithEveryPlan) {
  using enum SmallProductForm;
  const SmallProductCase cases[] = {{.name = "linear",
                                     .form = kLinear,
                                     .out_features = 192,
                                     .in_features = 640,
                                     .activation = Activation::kGelu,
                                     .bias = true},
                                    {.name = "normed linear",
                                     .form = kLinear,
                                     .out_features = 192,
                                     .in_features = 1152,
                                     .normed = true,
                                     .bias = true},
                                    {.name = "gate",
                                     .form = kGate,
                                     .out_features = 192,
                                     .in_features = 640,
                                     .activation = Activation::kGelu,
                                     .bias = true},
                                    {.name = "normed gate",
                                     .form = kGate,
                                     .out_features = 192,
                                     .in_features = 1152,
                                     .normed = true,
                                     .activation = Activation::kSilu},
                                    {.name = "residual",
                                     .form = kResidual,
                                     .out_features = 192,
                                     .in_features = 1728,
                                     .bias = true,
                                     .squares_out = true}};
  for (const SmallProductCase& product : cases) {
    for (const int64_t tokens : {16, 48, 64, 80, 112, 128}) {
      Product whole(product, tokens, DType::kFloat32, numbers_);
      for (const SmallProductPlan& plan : SmallProductPlans(product.form)) {
        if (plan.warpgroups != (tokens > 64 ? 2 : 1)) continue;
        if (!FitsPlan(product.Shape(tokens), plan)) continue;
        whole.Check(plan);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(SmallProductTest, HasEveryActivation) {
  using enum SmallProductForm;
  for (const auto activation :
       {Activation::kGelu, Activation::kGeluTanh, Activation::kRelu, Activation::kSilu}) {
    for (const auto form : {kLinear, kGate}) {
      const SmallProductCase product = {.name = "activated",
                                        .form = form,
                                        .out_features = 256,
                                        .in_features = 512,
                                        .activation = activation};
      const auto plan = ChooseSmallProduct(product.Shape(32));
      Product(product, 32, DType::kBFloat16, numbers_).Check(*plan);
    }
  }
}

TEST_F(SmallProductTest, KeepsPaddingToItself) {
  for (const SmallProductCase& product : kSmallProductLayers[0].products) {
    for (const int64_t used : {1, 17, 63, 65, 127}) {
      const int64_t tokens = used <= 64 ? 64 : 128;
      Product whole(product, tokens, DType::kBFloat16, numbers_);
      whole.PoisonFrom(used);
      whole.Check(*ChooseSmallProduct(product.Shape(tokens)));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(SmallProductTest, PacksAsTheHostDoes) {
  for (const bool gated : {false, true}) {
    const std::vector<BFloat16> weight = numbers_.Rounded(192 * 320, 0, 1);
    const DeviceTensor from(192, 320, weight), to(192, 320, DType::kBFloat16);
    ASSERT_EQ(PackSmallProduct({}, from.tensor(), gated, to.tensor().data), cudaSuccess);
    std::vector<BFloat16> host = weight, want(weight.size());
    PackSmallProductOnHost({host.data(), DType::kBFloat16, 192, 320}, gated, want.data());
    const std::vector<BFloat16> got = to.Get<BFloat16>();
    EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(BFloat16)), 0);
    to.ExpectBandsUntouched("packed");
  }
}

TEST_F(SmallProductTest, RefusesWhatDoesNotFit) {
  const SmallProductCase product = kSmallProductLayers[0].products[0];
  const auto plan = ChooseSmallProduct(product.Shape(32));
  const DeviceTensor x(24, 1024, DType::kBFloat16), out(24, 4096, DType::kBFloat16);
  EXPECT_EQ(SmallProduct({}, *plan, x.tensor().data, x.tensor(), {}, out.tensor()),
            cudaErrorInvalidValue);
  const DeviceTensor none(0, 1024, DType::kBFloat16), nothing(0, 4096, DType::kBFloat16);
  EXPECT_EQ(SmallProduct({}, *plan, x.tensor().data, none.tensor(), {}, nothing.tensor()),
            cudaSuccess);
}

}  // namespace
}  // namespace rose::kernels
