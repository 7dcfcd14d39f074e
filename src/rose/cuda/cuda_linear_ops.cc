// The operations of CudaOps that multiply, with what they do beside it.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "rose/cuda/cuda_ops.h"
#include "rose/cuda/status.h"
#include "rose/kernels/activate.h"
#include "rose/kernels/dot_product.h"
#include "rose/kernels/norm.h"
#include "rose/kernels/pool.h"

namespace rose::cuda {
namespace {

using kernels::SmallProductForm;
using kernels::SmallProductNorm;
using kernels::TileProductForm;

/// A library's products want more columns to be worth their tiles.
constexpr int64_t kDotProductFeatures = 4;

const CudaLinear& OnDevice(const LinearWeight& weight) {
  return static_cast<const CudaLinear&>(weight);
}

/// Whether our products have the activation in them.
bool IsCheap(Activation activation) {
  return activation == Activation::kGelu || activation == Activation::kGeluTanh ||
         activation == Activation::kSilu || activation == Activation::kRelu;
}

}  // namespace

void CudaOps::Multiply(const LinearWeight& weight, Tensor x, ProductTerms terms, Tensor out) {
  if (!Reads(x)) return;
  const CudaLinear& linear = OnDevice(weight);
  if (linear.out_features >= kDotProductFeatures) {
    const absl::StatusOr<bool> done = context_.products.Run(context_.stream, linear, x, terms, out);
    if (!done.ok()) return Keep(done.status());
    if (*done) return;
  }
  const Tensor bias = terms.bias ? linear.bias : Tensor{};
  Keep(kernels::DotProduct(launch(x.rows), linear.weight, bias, x, terms.previous, out),
       "DotProduct");
}

bool CudaOps::MultiplySmall(const LinearWeight& weight, Tensor x,
                            kernels::SmallProductEpilogue epilogue, Tensor out) {
  if (!ok() || x.rows != tokens_ || x.dtype != DType::kBFloat16) return false;
  if (put_off_ && put_off_->out.data == x.data) {
    x = put_off_->x;
    epilogue.norm = put_off_->norm;
    epilogue.row_sums = put_off_->row_sums;
  }
  const absl::StatusOr<bool> done =
      context_.small_products.Run(launch(x.rows), OnDevice(weight), x, epilogue, out);
  Keep(done.status());
  return done.ok() && *done;
}

bool CudaOps::MultiplyInTiles(const LinearWeight& weight, Tensor x,
                              kernels::TileProductEpilogue epilogue, Tensor out) {
  const CudaLinear& linear = OnDevice(weight);
  if (!context_.tile_products || x.dtype != DType::kBFloat16 || linear.dtype != x.dtype) {
    return false;
  }
  const std::optional<kernels::TileProductPlan> plan =
      kernels::ChooseTileProduct({.form = epilogue.form,
                                  .activation = epilogue.activation,
                                  .tokens = x.rows,
                                  .out_features = linear.out_features,
                                  .in_features = linear.in_features});
  if (!plan || !Reads(x)) return false;
  epilogue.bias = linear.bias;
  Keep(kernels::TileProduct(launch(x.rows), *plan, x, linear.weight, epilogue, out), "TileProduct");
  return true;
}

void CudaOps::Linear(const LinearWeight& weight, Tensor x, Tensor out) {
  if (MultiplySmall(weight, x, {.form = SmallProductForm::kLinear}, out)) return;
  if (MultiplyInTiles(weight, x, {.form = TileProductForm::kLinear}, out)) return;
  Multiply(weight, x, {.bias = OnDevice(weight).bias.data != nullptr}, out);
}

void CudaOps::LinearActivate(const LinearWeight& weight, Activation activation, Tensor x,
                             Tensor out) {
  if (IsCheap(activation) &&
      MultiplySmall(weight, x, {.form = SmallProductForm::kLinear, .activation = activation},
                    out)) {
    return;
  }
  if (MultiplyInTiles(weight, x, {.form = TileProductForm::kLinear, .activation = activation},
                      out)) {
    return;
  }
  // The activation's own pass adds the bias for nothing; the library would take 10 % for it.
  Multiply(weight, x, {}, out);
  if (!ok()) return;
  Keep(kernels::Activate(launch(out.rows), activation, OnDevice(weight).bias, out),
       "LinearActivate");
}

void CudaOps::LinearGate(const LinearWeight& weight, Activation activation, Tensor x, Tensor out) {
  if (IsCheap(activation) &&
      MultiplySmall(weight, x, {.form = SmallProductForm::kGate, .activation = activation}, out)) {
    return;
  }
  if (MultiplyInTiles(weight, x, {.form = TileProductForm::kGate, .activation = activation}, out)) {
    return;
  }
  Ops::LinearGate(weight, activation, x, out);
}

bool CudaOps::LinearResidualSmall(const LinearWeight& weight, const NormParams& norm, Tensor y,
                                  Tensor x, Tensor out) {
  kernels::SmallProductEpilogue epilogue{.form = SmallProductForm::kResidual, .residual = x};
  if (put_off_ && put_off_->out.data == x.data) {
    epilogue.norm = put_off_->norm;
    epilogue.row_sums = put_off_->row_sums;
  }
  const bool is_rms = norm.kind == NormKind::kRms;
  const bool can_put_off = x.cols % kernels::kPanelRows == 0 && x.rows == tokens_ &&
                           x.rows <= kernels::kSmallProductTokensMax &&
                           (is_rms ? norm.bias.data == nullptr : true);
  if (can_put_off) {
    epilogue.row_sums_out = context_.small_products.RowSums(
        row_sums_place_, is_rms ? SmallProductNorm::kRms : SmallProductNorm::kLayer, x.rows,
        x.cols);
  }
  if (!MultiplySmall(weight, y, epilogue, x)) return false;
  put_off_.reset();  // Its output is overwritten, or was read before its x changed.
  if (can_put_off) {
    put_off_ = PutOff{.norm = norm, .x = x, .out = out, .row_sums = epilogue.row_sums_out};
    row_sums_place_ = 1 - row_sums_place_;
  } else {
    Norm(norm, x, out);
  }
  return true;
}

void CudaOps::LinearResidualNorm(const LinearWeight& weight, const NormParams& norm, Tensor y,
                                 Tensor x, Tensor out) {
  // A norm of x itself may go on being put off, and what `out` held before nobody wants any more.
  if (put_off_ && put_off_->out.data != out.data) Reads(put_off_->out);
  if (LinearResidualSmall(weight, norm, y, x, out)) return;
  if (!Reads(x)) return;
  put_off_.reset();
  // The library adds x for next to nothing, where the norm would read it in a pass that is bound by
  // memory. The bias costs the library more: where nobody else reads x, the norm adds it.
  const Tensor bias = OnDevice(weight).bias;
  const bool in_place = out.data == x.data;
  Multiply(weight, y, {.bias = !in_place && bias.data != nullptr, .previous = true}, x);
  if (!ok()) return;
  Keep(kernels::Norm(launch(x.rows), norm, x, out, in_place ? bias : Tensor{}), "Norm");
}

void CudaOps::LinearPool(const LinearWeight& weight, std::span<const Activation> activations,
                         PoolingMode mode, Tensor x, const BatchShape& shape, Tensor out) {
  if (!Reads(x)) return;
  // As much scratch as the default body takes for one long sequence: what arenas are sized by.
  const int64_t block_rows = std::min(x.rows, 64 + x.rows / 64 * 2);
  const float identity = mode == PoolingMode::kMax ? -std::numeric_limits<float>::infinity() : 0.0F;
  Keep(kernels::Fill(launch(out.rows), identity, out), "LinearPool");
  ScratchScope scope(*this);
  const Tensor products = Scratch(block_rows, weight.out_features, x.dtype);
  for (int64_t first = 0; first < x.rows && ok(); first += block_rows) {
    const int64_t count = std::min(block_rows, x.rows - first);
    const Tensor rows = products.Rows(0, count);
    Linear(weight, x.Rows(first, count), rows);
    for (Activation activation : activations) Activate(activation, rows);
    if (!ok()) return;
    Keep(kernels::PoolBlock(launch(count), mode, rows, first, shape.cu_seqlens.data(), out),
         "LinearPool");
  }
}

}  // namespace rose::cuda
