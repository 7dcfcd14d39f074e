#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"
#include "rose/kernels/small_product_layout.h"

// Products for few tokens, where a model's time is that of a chain of short kernels: each begins to
// load its weights while the one before it still runs, and does what follows the product itself.
// For Hopper alone (compute capability 9.0); bfloat16 throughout, sums in float32.

namespace rose::kernels {

/// More tokens than this are for the library.
inline constexpr int64_t kSmallProductTokensMax = 128;

enum class SmallProductForm : uint8_t {
  kLinear,    ///< out = activation(y), or y where there is none. [tokens × out_features]
  kGate,      ///< out = activation(g) × u, of the halves g | u of y. [tokens × out_features / 2]
  kResidual,  ///< out = residual + y, rounded once. [tokens × out_features]
};

struct SmallProductShape {
  SmallProductForm form = SmallProductForm::kLinear;
  bool normed = false;       ///< x goes through an RMS norm on its way in.
  int64_t tokens = 0;        ///< The capacity of the buffers, a multiple of 16.
  int64_t out_features = 0;  ///< Rows of the weight: of both halves where gated.
  int64_t in_features = 0;
};

/// How to divide such a product, or nothing where the library is better or this cannot do it: more
/// than kSmallProductTokensMax tokens, more blocks or shared memory than leave room for the next
/// kernel, or features that FitsPlan excludes. docs/kernels/small_product.md says what it follows.
std::optional<SmallProductPlan> ChooseSmallProduct(const SmallProductShape& shape);

/// The plans that kernels are compiled for, where they are compiled for Hopper: what a search
/// tries.
std::span<const SmallProductPlan> SmallProductPlans(SmallProductForm form);

/// Whether a plan can do this: tokens a multiple of 16 and at most 64 a warpgroup, out_features a
/// multiple of plan.rows, in_features of 64 (normed: of 128), with columns for every block of a
/// cluster.
bool FitsPlan(const SmallProductShape& shape, const SmallProductPlan& plan);

/// Bytes of a weight's packed image: as many as it has in bfloat16. One image serves every plan.
constexpr int64_t PackedBytes(int64_t out_features, int64_t in_features) {
  return out_features * in_features * 2;
}

/// Packs `weight` [out_features × in_features], bfloat16, in device memory, into `packed` there,
/// aligned to 16. Gated: its first half is g's, its second u's.
cudaError_t PackSmallProduct(const Launch& launch, Tensor weight, bool gated, void* packed);

/// The same on the host, from and to its memory: the specification.
void PackSmallProductOnHost(Tensor weight, bool gated, void* packed);

/// What is done beside the product of x and the weight. With y = x Wᵀ + bias, or
/// y = rms_norm(x) Wᵀ + bias.
struct SmallProductEpilogue {
  SmallProductForm form = SmallProductForm::kLinear;
  /// kLinear and kGate: kGelu, kGeluTanh, kSilu or kRelu. A gate needs one.
  std::optional<Activation> activation = std::nullopt;
  /// [1 × out_features], bfloat16 or float32, or null. Gated: in the order of the weight's rows.
  Tensor bias = {};
  /// Where norm.weight.data is not null: an RMS norm of x without bias. x × weight is rounded to
  /// bfloat16, what it is divided by follows the product.
  NormParams norm = {};
  /// float32 [tokens × in_features / 32] for the norm: entry [t, p] is the sum of the squares of
  /// columns 32p … 32p + 31 of x's row t. The kernel that wrote x left it, or SumSquares makes it.
  Tensor squares = {};
  /// kResidual: [tokens × out_features]. May be `out`.
  Tensor residual = {};
  /// kResidual: where the same is left for `out`, as rounded; float32 [tokens × out_features / 32],
  /// or null.
  Tensor squares_out = {};
};

/// out = epilogue(x Wᵀ). x [tokens × in_features] and out have all rows of a step's capacity, which
/// are read and computed: rows of padding give rows of padding, whatever they hold, and reach no
/// other. x must not overlap out. All pointers are aligned to 16. A plan is for the shape it was
/// chosen for; one that does not fit is cudaErrorInvalidValue. With launch.overlap every block
/// loads its weights before it waits for the kernel before; weights, bias and norm weight must
/// therefore not be written by a kernel that may still run.
cudaError_t SmallProduct(const Launch& launch, const SmallProductPlan& plan, const void* packed,
                         Tensor x, const SmallProductEpilogue& epilogue, Tensor out);

/// The sums of squares that a norm's product wants, of x [tokens × cols], bfloat16, cols a multiple
/// of 32; squares float32 [tokens × cols / 32]. Of all rows.
cudaError_t SumSquares(const Launch& launch, Tensor x, Tensor squares);

}  // namespace rose::kernels
