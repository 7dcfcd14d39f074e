#include "rose/kernels/small_product.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "rose/core/bfloat16.h"
#include "rose/kernels/device_buffer.h"
#include "rose/kernels/device_tensor.h"
#include "rose/kernels/random_numbers.h"
#include "rose/kernels/small_product_cases.h"
#include "rose/kernels/small_product_trial.h"

namespace rose::kernels {
namespace {

class SmallProductTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = NoHopper(); !reason.empty()) GTEST_SKIP() << reason;
  }

  void CheckEveryPlan(const SmallProductCase& product, int64_t tokens) {
    SmallProductTrial trial(product, tokens, DType::kFloat32, numbers_);
    for (const SmallProductPlan& plan : SmallProductPlans(product.form)) {
      if (plan.warpgroups != (tokens > 64 ? 2 : 1)) continue;
      if (!FitsPlan(product.Shape(tokens), plan)) continue;
      trial.Check(plan);
      if (HasFatalFailure()) return;
    }
  }

  RandomNumbers numbers_;
};

TEST_F(SmallProductTest, ComputesTheProductsOfModels) {
  for (const SmallProductLayers& model : kSmallProductLayers) {
    for (const SmallProductCase& product : model.products) {
      for (const int64_t tokens : {16, 32, 48, 64, 96, 128}) {
        const auto plan = ChooseSmallProduct(product.Shape(tokens));
        ASSERT_TRUE(plan) << model.name << " " << product.name;
        SmallProductTrial(product, tokens, DType::kBFloat16, numbers_).Check(*plan);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(SmallProductTest, ComputesTheSameWithEveryPlan) {
  using enum SmallProductForm;
  using enum SmallProductNorm;
  // Columns that no split divides evenly among stages and blocks.
  const SmallProductCase cases[] = {
      {"linear", kLinear, 192, 640, kNone, Activation::kGelu, true},
      {"linear of an RMS norm", kLinear, 192, 1152, kRms, {}, true},
      {"linear of a layer norm", kLinear, 192, 640, kLayer, {}, true},
      {"gate", kGate, 192, 640, kNone, Activation::kGelu, true},
      {"gate of an RMS norm", kGate, 192, 1152, kRms, Activation::kSilu},
      {"gate of a layer norm", kGate, 192, 640, kLayer, Activation::kGelu},
      {"residual", kResidual, 192, 1728, kNone, {}, true, kRms},
      {"residual of a layer norm", kResidual, 192, 1728, kLayer, {}, false, kLayer}};
  for (const SmallProductCase& product : cases) {
    for (const int64_t tokens : {16, 48, 64, 80, 112, 128}) {
      CheckEveryPlan(product, tokens);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(SmallProductTest, HasEveryActivation) {
  using enum SmallProductForm;
  for (const auto activation :
       {Activation::kGelu, Activation::kGeluTanh, Activation::kRelu, Activation::kSilu}) {
    for (const auto form : {kLinear, kGate}) {
      const SmallProductCase product = {"activated", form, 256, 512, SmallProductNorm::kNone,
                                        activation};
      const auto plan = ChooseSmallProduct(product.Shape(32));
      SmallProductTrial(product, 32, DType::kBFloat16, numbers_).Check(*plan);
    }
  }
}

TEST_F(SmallProductTest, KeepsPaddingToItself) {
  for (const int model : {0, 2}) {
    for (const SmallProductCase& product : kSmallProductLayers[model].products) {
      for (const int64_t used : {1, 17, 63, 65, 127}) {
        const int64_t tokens = used <= 64 ? 64 : 128;
        SmallProductTrial trial(product, tokens, DType::kBFloat16, numbers_);
        trial.PoisonFrom(used);
        trial.Check(*ChooseSmallProduct(product.Shape(tokens)));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(SmallProductTest, PacksAsTheHostDoes) {
  for (const bool gated : {false, true}) {
    std::vector<BFloat16> weight = numbers_.Rounded(192 * 320, 0, 1), want(weight.size());
    const DeviceTensor from(192, 320, weight), to(DType::kBFloat16, 192, 320);
    ASSERT_EQ(PackSmallProduct({}, from.tensor(), gated, to.tensor().data), cudaSuccess);
    PackSmallProductOnHost({weight.data(), DType::kBFloat16, 192, 320}, gated, want.data());
    const std::vector<BFloat16> got = to.Get<BFloat16>();
    EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(BFloat16)), 0);
    EXPECT_EQ(to.BrokenGuard(), "") << "packed";
  }
}

TEST_F(SmallProductTest, RefusesWhatDoesNotFit) {
  const SmallProductCase product = {"linear", SmallProductForm::kLinear, 256, 512};
  const auto plan = ChooseSmallProduct(product.Shape(32));
  const DeviceTensor x(DType::kBFloat16, 24, 512), out(DType::kBFloat16, 24, 256);
  const void* packed = x.tensor().data;
  EXPECT_EQ(SmallProduct({}, *plan, packed, x.tensor(), {}, out.tensor()), cudaErrorInvalidValue);
  const Tensor rows = x.tensor().Rows(0, 16), to = out.tensor().Rows(0, 16);
  EXPECT_EQ(SmallProduct({}, *plan, packed, rows, {.residual = to}, to), cudaErrorInvalidValue);
  EXPECT_EQ(SmallProduct({}, *plan, packed, rows.Rows(0, 0), {}, to.Rows(0, 0)), cudaSuccess);
}

}  // namespace
}  // namespace rose::kernels
