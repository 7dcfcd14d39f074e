#pragma once

#include "rose/cpu/attention_body.h"
#include "rose/cpu/gemm_body.h"
#include "rose/cpu/kernels.h"
#include "rose/cpu/norm_body.h"
#include "rose/cpu/pool_body.h"
#include "rose/cpu/row_body.h"

namespace rose::cpu {

// The bodies of all kernels, for the file of each instruction set to fill its table from. As
// vec_avx2.h says: templates over the vector type only, and nothing from the standard library.

template <typename V, typename T>
constexpr RowKernels<T> MakeRowKernels() {
  return {.embed = EmbedRows<V, T>,
          .embed_norm = EmbedNormRows<V, T>,
          .add = AddElements<V, T>,
          .norm = NormRows<V, T>,
          .residual_norm = ResidualNormRows<V, T>,
          .rope = RopeRow<V, T>,
          .activate = ActivateElements<V, T>,
          .gate = GateRows<V, T>,
          .attention = Attend<V, T>,
          .pool = PoolRows<V, T>,
          .normalize = NormalizeRow<V, T>,
          .widen = WidenElements<V, T>};
}

template <typename V>
constexpr Kernels MakeKernels(Isa isa) {
  return {.isa = isa,
          .gemm_f32 = {.panel_cols = 2 * V::kWidth, .tile_rows = V::kTileRows, .run = Gemm<V>},
          .gemm_bf16 = {},
          .f32 = MakeRowKernels<V, float>(),
          .bf16 = MakeRowKernels<V, BFloat16>()};
}

}  // namespace rose::cpu
