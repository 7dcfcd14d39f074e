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

/// A norm whose result is never stored: of x, or of the residual where the form is kResidual. What
/// it needs of whole rows, sums over each panel of 32 columns, the kernel that wrote them has left;
/// so what is stored between blocks is what the norm reads.
enum class SmallProductNorm : uint8_t { kNone, kRms, kLayer };

struct SmallProductShape {
  SmallProductForm form = SmallProductForm::kLinear;
  SmallProductNorm norm = SmallProductNorm::kNone;  ///< kResidual: not kRms.
  int64_t tokens = 0;                               ///< The capacity of the buffers.
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
/// multiple of plan.rows, in_features of 64, columns of what goes through an RMS norm of 128 and
/// through a layer norm of 64, and columns for every block of a cluster.
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

/// Columns of the sums that `norm` needs of rows of `cols`: for each panel its sum of squares, and
/// before it for kLayer its sum.
constexpr int64_t RowSumsCols(SmallProductNorm norm, int64_t cols) {
  return norm == SmallProductNorm::kLayer ? cols / kPanelRows * 2 : cols / kPanelRows;
}

/// What is done beside the product of x and the weight. y = norm(x) Wᵀ + bias, or x Wᵀ + bias.
struct SmallProductEpilogue {
  SmallProductForm form = SmallProductForm::kLinear;
  /// kLinear and kGate: kGelu, kGeluTanh, kRelu or kSilu. A gate needs one.
  std::optional<Activation> activation = std::nullopt;
  /// [1 × out_features], bfloat16 or float32, or null. Gated: in the order of the weight's rows.
  Tensor bias = {};
  /// What the shape's norm is, its weight null where there is none. Of x: an RMS norm without bias,
  /// or a layer norm, whose bias goes unread since `bias` is what FoldLayerNorm made of it.
  /// x × norm.weight is rounded to bfloat16; what depends on the row follows the product.
  NormParams norm = {};
  /// float32 [tokens × RowSumsCols] of x or, kResidual, of the residual.
  Tensor row_sums = {};
  /// A layer norm of x: FoldLayerNorm's, float32 [1 × out_features].
  Tensor weight_sums = {};
  /// kResidual: [tokens × out_features]. May be `out`.
  Tensor residual = {};
  /// kResidual: the sums of `out` as rounded, for the norm that its columns are for; or null. Must
  /// not be row_sums.
  Tensor row_sums_out = {};
};

/// out = epilogue(x Wᵀ). x [tokens × in_features] and out have all rows of a step's capacity, which
/// are read and computed: rows of padding give rows of padding, whatever they hold, and reach no
/// other. x must not overlap out. All pointers are aligned to 16. A plan is for the shape it was
/// chosen for; one that does not fit is cudaErrorInvalidValue. launch.rows_used is ignored. With
/// launch.overlap every block loads its weights before it waits for the kernel before; weights,
/// bias and norm weight must therefore not be written by a kernel that may still run.
cudaError_t SmallProduct(const Launch& launch, const SmallProductPlan& plan, const void* packed,
                         Tensor x, const SmallProductEpilogue& epilogue, Tensor out);

/// The sums that `norm` needs of x [tokens × cols], bfloat16, cols a multiple of 32, where no
/// product wrote it. row_sums float32 [tokens × RowSumsCols]. Of all rows.
cudaError_t RowSums(const Launch& launch, SmallProductNorm norm, Tensor x, Tensor row_sums);

/// What a layer norm of x leaves to add to its product with `weight` [out_features × in_features],
/// bfloat16, as checkpoints store it: of each row the sum of its products with norm.weight, to
/// weight_sums, and with norm.bias, added to `bias` (as for SmallProduct, or null), to folded_bias.
/// Both float32 [1 × out_features]. Once, when a model is loaded.
cudaError_t FoldLayerNorm(const Launch& launch, const NormParams& norm, Tensor weight, Tensor bias,
                          Tensor weight_sums, Tensor folded_bias);

}  // namespace rose::kernels
