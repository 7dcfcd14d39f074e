#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

// Products for many tokens with what follows them, where that beats the library's product and a
// kernel of its own: tiles of the output, one multiprocessor each, filled by TMA and wgmma. For
// Hopper alone (compute capability 9.0); bfloat16 throughout, sums in float32. Weights are read as
// checkpoints store them. docs/kernels/tile_product.md tells how it works.

namespace rose::kernels {

enum class TileProductForm : uint8_t {
  kLinear,  ///< out = activation(y), or y where there is none. [tokens × out_features]
  kGate,    ///< out = activation(g) × u, of the halves g | u of y. [tokens × out_features / 2]
};

struct TileProductShape {
  TileProductForm form = TileProductForm::kLinear;
  std::optional<Activation> activation = std::nullopt;
  int64_t tokens = 0;        ///< The capacity of the buffers.
  int64_t out_features = 0;  ///< Rows of the weight: of both halves where gated.
  int64_t in_features = 0;
};

/// How a product is divided: into tiles of 128 tokens.
struct TileProductPlan {
  int cols = 0;  ///< Rows of the weight of a tile: of both halves where gated.
  /// Each of a block's two warpgroups has a tile of its own, and finishes it while the other
  /// multiplies; two blocks share their weights. Else both warpgroups share a tile.
  bool ping_pong = false;

  friend bool operator==(const TileProductPlan& a, const TileProductPlan& b) = default;
};

/// How to divide such a product, or nothing where the library, with a kernel for what follows, is
/// better or this cannot do it. By what was measured on one H200.
std::optional<TileProductPlan> ChooseTileProduct(const TileProductShape& shape);

/// The plans that kernels are compiled for, where they are compiled for Hopper.
std::span<const TileProductPlan> TileProductPlans();

/// Whether this can be done at all: a gate's out_features a multiple of 16, others of 8,
/// in_features of 8; activation kGelu, kGeluTanh or, of kLinear, none, of kGate, kSilu.
bool FitsTileProduct(const TileProductShape& shape);

struct TileProductEpilogue {
  TileProductForm form = TileProductForm::kLinear;
  std::optional<Activation> activation = std::nullopt;
  /// bfloat16 [1 × out_features], or null. Gated: in the order of the weight's rows.
  Tensor bias = {};
};

/// out = epilogue(x Wᵀ + bias). x [tokens × in_features], weight [out_features × in_features]; all
/// bfloat16, aligned to 16. x must not overlap out. Of rows behind *launch.rows_used some are
/// computed, whatever x holds there, and reach no other row; the rest stay. A plan without a kernel
/// and a shape that does not fit are cudaErrorInvalidValue. With launch.overlap a block may load
/// weights and bias before it waits for the kernel before: they must not be written by one that may
/// still run. Maps of x and weight are made here, on the host, and become part of the launch:
/// nothing has to outlive the call but the tensors themselves.
cudaError_t TileProduct(const Launch& launch, const TileProductPlan& plan, Tensor x, Tensor weight,
                        const TileProductEpilogue& epilogue, Tensor out);

}  // namespace rose::kernels
