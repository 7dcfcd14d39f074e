#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rose/cuda/small_products.h"
#include "rose/kernels/device_buffer.h"
#include "rose/kernels/device_tensor.h"
#include "rose/kernels/random_numbers.h"

// Which copy of a weight a product reads; kernels/small_product_test.cc has the products.

namespace rose::cuda {
namespace {

using kernels::DeviceTensor;
using kernels::SmallProductForm;
using kernels::SmallProductNorm;

constexpr int64_t kTokens = 16, kOut = 256, kIn = 512;

class SmallProductsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = kernels::NoHopper(); !reason.empty()) GTEST_SKIP() << reason;
    values_ = numbers_.Rounded(kOut * kIn, 0, 0.05F);
    x_ = numbers_.Rounded(kTokens * kIn, 0, 1);
    products_ = SmallProducts::Create(/*enabled=*/true).value();
  }

  /// x Wᵀ of a token and a row of the weight.
  double Product(int64_t token, int64_t row) const {
    double sum = 0;
    for (int64_t i = 0; i < kIn; ++i) {
      sum += static_cast<double>(x_[token * kIn + i].ToFloat()) * values_[row * kIn + i].ToFloat();
    }
    return sum;
  }

  kernels::RandomNumbers numbers_;
  std::vector<BFloat16> values_, x_;
  SmallProducts products_;
};

TEST_F(SmallProductsTest, AWeightMayBeAGatesAndNot) {
  const DeviceTensor matrix(kOut, kIn, values_), x(kTokens, kIn, x_);
  CudaLinear weight;
  weight.in_features = kIn;
  weight.out_features = kOut;
  weight.dtype = DType::kBFloat16;
  weight.weight = matrix.tensor();
  DeviceTensor plain(DType::kBFloat16, kTokens, kOut), gated(DType::kBFloat16, kTokens, kOut / 2);
  for (int run = 0; run < 2; ++run) {  // Packed, then found.
    plain.Poison();
    gated.Poison();
    ASSERT_TRUE(
        products_.Run({}, weight, x.tensor(), {.form = SmallProductForm::kLinear}, plain.tensor())
            .value());
    ASSERT_TRUE(products_
                    .Run({}, weight, x.tensor(),
                         {.form = SmallProductForm::kGate, .activation = Activation::kRelu},
                         gated.tensor())
                    .value());
    const auto plain_rows = plain.Host(), gated_rows = gated.Host();
    for (int64_t token = 0; token < kTokens; ++token) {
      for (int64_t row = 0; row < kOut; ++row) {
        ASSERT_NEAR(plain_rows.Get(token * kOut + row), Product(token, row), 0.05)
            << "token " << token << ", row " << row;
      }
      for (int64_t row = 0; row < kOut / 2; ++row) {
        ASSERT_NEAR(gated_rows.Get(token * kOut / 2 + row),
                    std::max(Product(token, row), 0.0) * Product(token, kOut / 2 + row), 0.2)
            << "token " << token << ", row " << row << " of a gate";
      }
    }
  }
  EXPECT_EQ(products_.memory_bytes(), 2 * kernels::PackedBytes(kOut, kIn)) << "one of each";
}

TEST_F(SmallProductsTest, LeavesASecondLayerNormToTheLibrary) {
  const DeviceTensor matrix(kOut, kIn, values_), x(kTokens, kIn, x_);
  const DeviceTensor scale(1, kIn, numbers_.Floats(kIn, 1, 0.1F)),
      shift(1, kIn, numbers_.Floats(kIn, 0, 0.1F)), other(1, kIn, numbers_.Floats(kIn, 1, 0.1F));
  CudaLinear weight;
  weight.in_features = kIn;
  weight.out_features = kOut;
  weight.dtype = DType::kBFloat16;
  weight.weight = matrix.tensor();
  const Tensor sums = products_.RowSums(0, SmallProductNorm::kLayer, kTokens, kIn);
  ASSERT_EQ(kernels::RowSums({}, SmallProductNorm::kLayer, x.tensor(), sums), cudaSuccess);
  DeviceTensor out(DType::kBFloat16, kTokens, kOut);
  const auto runs = [&](const DeviceTensor& norm_weight) {
    return products_
        .Run({}, weight, x.tensor(),
             {.form = SmallProductForm::kLinear,
              .norm = {.kind = NormKind::kLayer,
                       .weight = norm_weight.tensor(),
                       .bias = shift.tensor(),
                       .epsilon = 1e-5F},
              .row_sums = sums},
             out.tensor())
        .value();
  };
  EXPECT_TRUE(runs(scale));
  EXPECT_FALSE(runs(other)) << "what was folded is another norm's";
  EXPECT_TRUE(runs(scale));
}

}  // namespace
}  // namespace rose::cuda
