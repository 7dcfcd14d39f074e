#include "rose/kernels/tile_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include "rose/core/bfloat16.h"
#include "rose/kernels/device_buffer.h"
#include "rose/kernels/device_tensor.h"
#include "rose/kernels/random_numbers.h"

namespace rose::kernels {
namespace {

using enum TileProductForm;

struct Case {
  const char* name;
  TileProductForm form;
  int64_t out_features;
  int64_t in_features;
  std::optional<Activation> activation = std::nullopt;
  bool bias = false;

  TileProductShape Shape(int64_t tokens) const {
    return {form, activation, tokens, out_features, in_features};
  }
  int64_t out_cols() const { return form == kGate ? out_features / 2 : out_features; }
};

constexpr Case kModelProducts[] = {
    {"Qwen3-0.6B qkv", kLinear, 4096, 1024},
    {"Qwen3-0.6B gate-up", kGate, 6144, 1024, Activation::kSilu},
    {"XLM-R-large qkv", kLinear, 3072, 1024, {}, true},
    {"XLM-R-large up", kLinear, 4096, 1024, Activation::kGelu, true},
    {"BERT-base qkv", kLinear, 2304, 768, {}, true},
    {"BERT-base up", kLinear, 3072, 768, Activation::kGelu, true},
    {"ModernBERT-base gate", kGate, 2304, 768, Activation::kGelu},
};

/// Columns that no tile divides, and sums that no stage does.
constexpr Case kOddProducts[] = {
    {"linear", kLinear, 328, 136, {}, true},
    {"GELU", kLinear, 392, 72, Activation::kGelu, true},
    {"tanh GELU", kLinear, 264, 1088, Activation::kGeluTanh},
    {"SiLU gate", kGate, 336, 264, Activation::kSilu, true},
    {"GELU gate", kGate, 528, 1096, Activation::kGelu},
    {"tanh GELU gate", kGate, 272, 712, Activation::kGeluTanh, true},
};

double ActivateDouble(Activation activation, double x) {
  switch (activation) {
    case Activation::kGelu:
      return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
    case Activation::kGeluTanh: {
      const double z = std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x);
      return 0.5 * x * (1 + std::tanh(z));
    }
    default:
      return x / (1 + std::exp(-x));
  }
}

std::string Text(const TileProductPlan& plan) {
  return "plan {" + std::to_string(plan.cols) + ", " + (plan.ping_pong ? "true}" : "false}");
}

/// One product of random numbers with everything around it, on the device and in double.
class Trial {
 public:
  /// Rows of x from `used` on hold NaN.
  Trial(const Case& product, int64_t tokens, int64_t used, RandomNumbers& numbers)
      : case_(product),
        tokens_(tokens),
        used_(used),
        x_(numbers.Rounded(tokens * product.in_features, 0.3f, 1)),
        weight_(numbers.Rounded(product.out_features * product.in_features, 0.01f,
                                1 / std::sqrt(static_cast<float>(product.in_features)))),
        bias_(numbers.Rounded(product.out_features, 0, 0.5f)),
        device_weight_(product.out_features, product.in_features, weight_),
        device_bias_(1, product.out_features, bias_),
        device_x_(DType::kBFloat16, tokens, product.in_features),
        out_(DType::kBFloat16, tokens, product.out_cols()),
        device_used_({static_cast<int32_t>(used)}) {
    std::fill(x_.begin() + used * product.in_features, x_.end(), kNan);
    device_x_.Put(x_);
    Sample();
  }

  void Check(const TileProductPlan& plan) {
    const std::string what = Name(plan);
    const std::vector<BFloat16> out = Run(plan, what), again = Run(plan, what);
    const auto count = static_cast<std::size_t>(used_ * case_.out_cols());
    EXPECT_EQ(std::memcmp(out.data(), again.data(), count * sizeof(BFloat16)), 0)
        << what << ": two runs differ";
    EXPECT_EQ(out_.BrokenGuard(), "") << what;
    Compare(out, what);
  }

 private:
  static constexpr BFloat16 kNan = {0x7fff};

  struct Want {
    int64_t row, column;
    double value;
  };

  std::string Name(const TileProductPlan& plan) const {
    return std::string(case_.name) + " " + std::to_string(case_.out_features) + " x " +
           std::to_string(case_.in_features) + ", " + std::to_string(used_) + " of " +
           std::to_string(tokens_) + " tokens, " + Text(plan);
  }

  double Sum(int64_t row, int64_t column) const {
    const BFloat16* x = x_.data() + row * case_.in_features;
    const BFloat16* weight = weight_.data() + column * case_.in_features;
    double sum = case_.bias ? bias_[column].ToFloat() : 0;
    for (int64_t k = 0; k < case_.in_features; ++k) sum += x[k].ToFloat() * weight[k].ToFloat();
    return sum;
  }

  double ValueAt(int64_t row, int64_t column) const {
    const double sum = Sum(row, column);
    const double first = case_.activation ? ActivateDouble(*case_.activation, sum) : sum;
    return case_.form == kGate ? first * Sum(row, column + case_.out_cols()) : first;
  }

  /// All places of small products; of others one of each 8 × 8.
  void Sample() {
    const int64_t step = used_ * case_.out_cols() < 200'000 ? 1 : 8;
    int64_t turn = 0;
    for (int64_t row = 0; row < used_; row += step) {
      for (int64_t column = 0; column < case_.out_cols(); column += step, turn += 13) {
        const int64_t r = std::min(used_ - 1, row + turn % step);
        const int64_t c = std::min(case_.out_cols() - 1, column + turn / 8 % step);
        wants_.push_back({r, c, ValueAt(r, c)});
      }
    }
  }

  std::vector<BFloat16> Run(const TileProductPlan& plan, const std::string& what) {
    out_.Put(std::vector<BFloat16>(static_cast<std::size_t>(out_.tensor().elements()), kNan));
    TileProductEpilogue epilogue = {.form = case_.form, .activation = case_.activation};
    if (case_.bias) epilogue.bias = device_bias_.tensor();
    const Launch launch = {.rows_used = device_used_.data()};
    EXPECT_EQ(TileProduct(launch, plan, device_x_.tensor(), device_weight_.tensor(), epilogue,
                          out_.tensor()),
              cudaSuccess)
        << what;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << what;
    return out_.Get<BFloat16>();
  }

  void Compare(const std::vector<BFloat16>& out, const std::string& what) const {
    double errors = 0, squares = 0;
    int64_t wrong = 0;
    std::string first;
    for (const auto& [row, column, want] : wants_) {
      const double got = out[row * case_.out_cols() + column].ToFloat();
      errors += (got - want) * (got - want);
      squares += want * want;
      if (std::abs(got - want) <= 0.02 * (1 + std::abs(want))) continue;
      if (++wrong == 1) {
        first = "row " + std::to_string(row) + " column " + std::to_string(column) + ": got " +
                std::to_string(got) + ", want " + std::to_string(want);
      }
    }
    EXPECT_EQ(wrong, 0) << what << ": of " << wants_.size() << ", first at " << first;
    EXPECT_LE(std::sqrt(errors / squares), 4e-3) << what;
    for (int64_t i = 0; i < used_ * case_.out_cols(); ++i) {
      ASSERT_TRUE(std::isfinite(out[i].ToFloat()))
          << what << ": row " << i / case_.out_cols() << " column " << i % case_.out_cols();
    }
  }

  Case case_;
  int64_t tokens_, used_;
  std::vector<BFloat16> x_, weight_, bias_;
  DeviceTensor device_weight_, device_bias_, device_x_, out_;
  DeviceArray<int32_t> device_used_;
  std::vector<Want> wants_;
};

class TileProductTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = NoHopper(); !reason.empty()) GTEST_SKIP() << reason;
  }

  void CheckEveryPlan(const Case& product, int64_t tokens, int64_t used) {
    Trial trial(product, tokens, used, numbers_);
    for (const TileProductPlan& plan : TileProductPlans()) {
      trial.Check(plan);
      if (HasFatalFailure()) return;
    }
  }

  RandomNumbers numbers_;
};

TEST_F(TileProductTest, ComputesOddShapesWithEveryPlan) {
  for (const Case& product : kOddProducts) {
    for (const int64_t tokens : {16, 192, 272, 528}) {
      CheckEveryPlan(product, tokens, tokens);
      if (HasFailure()) return;
    }
  }
}

TEST_F(TileProductTest, ComputesTheProductsOfModels) {
  for (const Case& product : kModelProducts) {
    for (const int64_t tokens : {256, 512}) {
      CheckEveryPlan(product, tokens, tokens - 37);
      if (HasFailure()) return;
    }
  }
}

TEST_F(TileProductTest, GoesThroughManyTilesAndLeavesPaddingOut) {
  for (const int product : {1, 3}) {
    CheckEveryPlan(kModelProducts[product], 4112, 2995);
    if (HasFailure()) return;
  }
}

/// Pairs of products, the second of what the first has written over what it wrote for the pair
/// before: bit by bit as without overlap.
TEST_F(TileProductTest, OverlapsWithItself) {
  constexpr int64_t kTokens = 512, kWidth = 1024, kInner = 3072, kPairs = 20;
  const DeviceTensor x(kPairs * kTokens, kWidth, numbers_.Rounded(kPairs * kTokens * kWidth, 0, 1));
  const DeviceTensor up(2 * kInner, kWidth, numbers_.Rounded(2 * kInner * kWidth, 0, 0.03f));
  const DeviceTensor down(kWidth, kInner, numbers_.Rounded(kWidth * kInner, 0, 0.03f));
  const DeviceTensor inner(DType::kBFloat16, kTokens, kInner);
  const DeviceTensor out(DType::kBFloat16, kPairs * kTokens, kWidth);
  for (const TileProductPlan& plan : TileProductPlans()) {
    std::vector<BFloat16> results[2];
    for (const bool overlap : {false, true}) {
      for (int64_t pair = 0; pair < kPairs; ++pair) {
        const Tensor from = x.tensor().Rows(pair * kTokens, kTokens);
        const Tensor to = out.tensor().Rows(pair * kTokens, kTokens);
        const Launch launch = {.overlap = overlap && pair > 0};
        ASSERT_EQ(TileProduct(launch, plan, from, up.tensor(),
                              {.form = kGate, .activation = Activation::kSilu}, inner.tensor()),
                  cudaSuccess);
        ASSERT_EQ(TileProduct({.overlap = overlap}, plan, inner.tensor(), down.tensor(),
                              {.activation = Activation::kGelu}, to),
                  cudaSuccess);
      }
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      results[overlap ? 1 : 0] = out.Get<BFloat16>();
    }
    EXPECT_EQ(
        std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(BFloat16)), 0)
        << Text(plan);
  }
}

TEST_F(TileProductTest, RefusesWhatDoesNotFit) {
  const TileProductPlan plan = TileProductPlans()[0];
  const DeviceTensor x(DType::kBFloat16, 32, 128), weight(DType::kBFloat16, 64, 128);
  const DeviceTensor out(DType::kBFloat16, 32, 64), narrow(DType::kBFloat16, 32, 60);
  EXPECT_EQ(TileProduct({}, plan, x.tensor(), weight.tensor(), {}, narrow.tensor()),
            cudaErrorInvalidValue);
  EXPECT_EQ(TileProduct({}, plan, x.tensor(), weight.tensor(), {.activation = Activation::kTanh},
                        out.tensor()),
            cudaErrorInvalidValue);
  EXPECT_EQ(TileProduct({}, plan, x.tensor(), weight.tensor(), {.form = kGate}, out.tensor()),
            cudaErrorInvalidValue);
  TileProductPlan other = plan;
  other.cols = 96;
  EXPECT_EQ(TileProduct({}, other, x.tensor(), weight.tensor(), {}, out.tensor()),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      TileProduct({}, plan, x.tensor().Rows(0, 0), weight.tensor(), {}, out.tensor().Rows(0, 0)),
      cudaSuccess);
}

}  // namespace
}  // namespace rose::kernels
