#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include "rose/core/bfloat16.h"
#include "rose/kernels/device_tensor.h"
#include "rose/kernels/random_numbers.h"
#include "rose/kernels/small_product.h"
#include "rose/kernels/small_product_cases.h"

// One small product of random numbers with everything around it, on the device and in double.

namespace rose::kernels {

inline double Activate(Activation activation, double x) {
  switch (activation) {
    case Activation::kGelu:
      return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
    case Activation::kGeluTanh: {
      const double z = std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x);
      return 0.5 * x * (1 + std::tanh(z));
    }
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
    default:
      return std::max(x, 0.0);
  }
}

class SmallProductTrial {
 public:
  SmallProductTrial(const SmallProductCase& product, int64_t tokens, DType bias_dtype,
                    RandomNumbers& numbers)
      : case_(product),
        tokens_(tokens),
        x_(numbers.Rounded(tokens * K(), 0.3f, 1)),
        weight_(numbers.Rounded(N() * K(), 0.01f, 1 / std::sqrt(static_cast<float>(K())))),
        norm_weight_(numbers.Floats(product.norm_cols(), 1, 0.3f)),
        norm_bias_(numbers.Floats(product.norm_cols(), 0.1f, 0.3f)),
        bias_(numbers.Rounded(N(), 0, 0.5f)),
        residual_(numbers.Rounded(tokens * N(), -0.2f, 1)),
        device_x_(tokens, K(), x_),
        device_weight_(N(), K(), weight_),
        packed_(DType::kBFloat16, N(), K()),
        device_norm_weight_(1, product.norm_cols(), norm_weight_),
        device_norm_bias_(1, product.norm_cols(), norm_bias_),
        row_sums_(DType::kFloat32, tokens, RowSumsCols(product.norm, product.norm_cols())),
        device_bias_(bias_dtype, 1, N()),
        weight_sums_(DType::kFloat32, 1, N()),
        folded_bias_(DType::kFloat32, 1, N()),
        out_(DType::kBFloat16, tokens, product.out_cols()),
        row_sums_out_(DType::kFloat32, tokens, RowSumsCols(product.next_norm, N())) {
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
    if (NormOfX() && case_.norm == SmallProductNorm::kLayer) {
      EXPECT_EQ(FoldLayerNorm({}, Norm(), device_weight_.tensor(),
                              case_.bias ? device_bias_.tensor() : Tensor{}, weight_sums_.tensor(),
                              folded_bias_.tensor()),
                cudaSuccess);
    }
  }

  /// Rows from `used` on hold NaN.
  void PoisonFrom(int64_t used) {
    used_ = used;
    for (std::size_t i = static_cast<std::size_t>(used * K()); i < x_.size(); ++i) x_[i] = kNan;
    for (std::size_t i = static_cast<std::size_t>(used * N()); i < residual_.size(); ++i) {
      residual_[i] = kNan;
    }
    device_x_.Put(x_);
  }

  void Check(const SmallProductPlan& plan) {
    const std::string what = Name(plan);
    const std::vector<BFloat16> out = Run(plan, what), again = Run(plan, what);
    const auto used = static_cast<std::size_t>(used_ * case_.out_cols());
    EXPECT_EQ(std::memcmp(out.data(), again.data(), used * sizeof(BFloat16)), 0)
        << what << ": two runs differ";
    Compare(out, what);
    ASSERT_EQ(out_.BrokenGuard(), "") << what;
    if (case_.next_norm != SmallProductNorm::kNone) CompareRowSums(out, what);
  }

 private:
  static constexpr BFloat16 kNan = {0x7fff};
  static constexpr float kEpsilon = 1e-5f;
  static constexpr double kErrorMax = 5e-3;

  int64_t N() const { return case_.out_features; }
  int64_t K() const { return case_.in_features; }
  bool NormOfX() const { return !case_.of_residual() && case_.norm != SmallProductNorm::kNone; }

  std::string Name(const SmallProductPlan& plan) const {
    return std::string(case_.name) + " " + std::to_string(N()) + " x " + std::to_string(K()) +
           ", form " + std::to_string(static_cast<int>(case_.form)) + ", norm " +
           std::to_string(static_cast<int>(case_.norm)) + ", " + std::to_string(used_) + " of " +
           std::to_string(tokens_) + " tokens, plan {" + std::to_string(plan.warpgroups) + ", " +
           std::to_string(plan.rows) + ", " + std::to_string(plan.split) + ", " +
           std::to_string(plan.depth) + "}";
  }

  NormParams Norm() const {
    if (case_.norm == SmallProductNorm::kRms) {
      return {.kind = NormKind::kRms, .weight = device_norm_weight_.tensor(), .epsilon = kEpsilon};
    }
    return {.kind = NormKind::kLayer,
            .weight = device_norm_weight_.tensor(),
            .bias = device_norm_bias_.tensor(),
            .epsilon = kEpsilon};
  }

  SmallProductEpilogue Epilogue() const {
    SmallProductEpilogue epilogue = {.form = case_.form, .activation = case_.activation};
    if (case_.bias) epilogue.bias = device_bias_.tensor();
    if (case_.norm != SmallProductNorm::kNone) {
      epilogue.norm = Norm();
      epilogue.row_sums = row_sums_.tensor();
    }
    if (NormOfX() && case_.norm == SmallProductNorm::kLayer) {
      epilogue.bias = folded_bias_.tensor();
      epilogue.weight_sums = weight_sums_.tensor();
    }
    if (case_.of_residual()) epilogue.residual = out_.tensor();  // In place, as models do it.
    if (case_.next_norm != SmallProductNorm::kNone) {
      epilogue.row_sums_out = row_sums_out_.tensor();
    }
    return epilogue;
  }

  std::vector<BFloat16> Run(const SmallProductPlan& plan, const std::string& what) {
    const auto places = static_cast<std::size_t>(out_.tensor().elements());
    out_.Put(case_.of_residual() ? residual_ : std::vector<BFloat16>(places, kNan));
    if (case_.norm != SmallProductNorm::kNone) {
      const Tensor normed = case_.of_residual() ? out_.tensor() : device_x_.tensor();
      EXPECT_EQ(RowSums({}, case_.norm, normed, row_sums_.tensor()), cudaSuccess) << what;
    }
    EXPECT_EQ(SmallProduct({}, plan, packed_.tensor().data, device_x_.tensor(), Epilogue(),
                           out_.tensor()),
              cudaSuccess)
        << what;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << what;
    return out_.Get<BFloat16>();
  }

  /// A row, through the norm if it goes through one.
  std::vector<double> Row(const std::vector<BFloat16>& rows, int64_t cols, int64_t row,
                          bool normed) const {
    std::vector<double> values(static_cast<std::size_t>(cols));
    for (int64_t c = 0; c < cols; ++c) values[c] = rows[row * cols + c].ToFloat();
    if (!normed) return values;
    const bool layer = case_.norm == SmallProductNorm::kLayer;
    double mean = 0, squares = 0;
    for (const double value : values) mean += layer ? value / static_cast<double>(cols) : 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(cols) + kEpsilon);
    for (int64_t c = 0; c < cols; ++c) {
      values[c] = (values[c] - mean) * scale * norm_weight_[c] + (layer ? norm_bias_[c] : 0);
    }
    return values;
  }

  double Sum(const std::vector<double>& x, int64_t row) const {
    const BFloat16* weight = weight_.data() + row * K();
    double sum = case_.bias ? bias_[row].ToFloat() : 0;
    for (int64_t k = 0; k < K(); ++k) sum += x[k] * weight[k].ToFloat();
    return sum;
  }

  double Want(const std::vector<double>& x, const std::vector<double>& residual,
              int64_t column) const {
    const double sum = Sum(x, column);
    switch (case_.form) {
      case SmallProductForm::kLinear:
        return case_.activation ? Activate(*case_.activation, sum) : sum;
      case SmallProductForm::kGate:
        return Activate(*case_.activation, sum) * Sum(x, column + case_.out_cols());
      case SmallProductForm::kResidual:
        return sum + residual[column];
    }
    return 0;
  }

  /// Every third place, another third in each row; all of them finite.
  void Compare(const std::vector<BFloat16>& out, const std::string& what) const {
    const int64_t cols = case_.out_cols();
    const bool normed = case_.norm != SmallProductNorm::kNone;
    double errors = 0, squares = 0;
    int64_t wrong = 0;
    std::string first;
    for (int64_t token = 0; token < used_; ++token) {
      const std::vector<double> x = Row(x_, K(), token, NormOfX());
      const std::vector<double> residual =
          Row(residual_, N(), token, case_.of_residual() && normed);
      for (int64_t column = token % 3; column < cols; column += 3) {
        const double want = Want(x, residual, column);
        const double got = out[token * cols + column].ToFloat();
        errors += (got - want) * (got - want);
        squares += want * want;
        if (std::abs(got - want) <= 0.05 * (1 + std::abs(want))) continue;
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

  void CompareRowSums(const std::vector<BFloat16>& out, const std::string& what) const {
    const std::vector<float> got = row_sums_out_.Get<float>();
    const int64_t panels = N() / kPanelRows;
    const bool layer = case_.next_norm == SmallProductNorm::kLayer;
    for (int64_t i = 0; i < used_ * panels; ++i) {
      double sum = 0, squares = 0;
      for (int64_t c = 0; c < kPanelRows; ++c) {
        const double value = out[i / panels * N() + i % panels * kPanelRows + c].ToFloat();
        sum += value;
        squares += value * value;
      }
      const std::string at = what + ": sums of row " + std::to_string(i / panels) + " panel " +
                             std::to_string(i % panels);
      ASSERT_NEAR(got[layer ? 2 * i + 1 : i], squares, 1e-5 * squares) << at;
      if (layer) {
        ASSERT_NEAR(got[2 * i], sum, 1e-4) << at;
      }
    }
    ASSERT_EQ(row_sums_out_.BrokenGuard(), "") << what;
  }

  SmallProductCase case_;
  int64_t tokens_;
  int64_t used_ = tokens_;
  std::vector<BFloat16> x_, weight_;
  std::vector<float> norm_weight_, norm_bias_;
  std::vector<BFloat16> bias_, residual_;
  DeviceTensor device_x_, device_weight_, packed_, device_norm_weight_, device_norm_bias_;
  DeviceTensor row_sums_, device_bias_, weight_sums_, folded_bias_, out_, row_sums_out_;
};

}  // namespace rose::kernels
