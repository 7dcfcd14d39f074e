#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>

#include "rose/kernels/tile_product.h"

namespace rose::kernels {

/// Tokens of a tile.
inline constexpr int kTileRows = 128;

/// Columns of x and of the weight that are loaded together: a row of them is what swizzles span.
inline constexpr int kTileStageColumns = 64;

/// Two warpgroups that multiply, and one that loads.
inline constexpr int kTileThreads = 3 * 128;

/// Blocks that share weights, their tiles one below the other.
constexpr int ClusterBlocks(const TileProductPlan& plan) { return plan.ping_pong ? 2 : 1; }

/// TileProduct's arguments as the kernel takes them.
struct TileProductArgs {
  CUtensorMap x;                        ///< In boxes of kTileRows rows.
  CUtensorMap weight;                   ///< In boxes of plan.cols / 2 rows.
  const __nv_bfloat16* bias = nullptr;  ///< Or null.
  __nv_bfloat16* out = nullptr;
  const int32_t* rows_used = nullptr;  ///< Or null.
  int rows = 0;
  int out_features = 0;
  int stages = 0;  ///< Of kTileStageColumns columns, the last one maybe beyond the end.
};

using TileProductKernel = void (*)(TileProductArgs);

struct TileProductEntry {
  TileProductKernel kernel = nullptr;
  int shared_bytes = 0;
};

/// Its kernel null: none was compiled for it, or none for Hopper at all.
TileProductEntry FindTileProduct(TileProductForm form, std::optional<Activation> activation,
                                 const TileProductPlan& plan);

// The same for one form, each in a translation unit of its own.
TileProductEntry FindTileLinear(std::optional<Activation> activation, const TileProductPlan& plan);
TileProductEntry FindTileGate(Activation activation, const TileProductPlan& plan);

}  // namespace rose::kernels
