#pragma once

#include <cstddef>
#include <cstdint>

#include "rose/core/bfloat16.h"
#include "rose/core/ops.h"
#include "rose/cpu/isa.h"

namespace rose::cpu {

/// out[rows × cols] = activation(a[rows × k] B + bias): one worker's share of a Linear. Each row's
/// result depends on that row alone, to the bit.
template <typename T>
struct GemmArgs {
  const T* a = nullptr;
  int64_t a_stride = 0;  ///< Elements from a row to the next.
  int64_t rows = 0;
  const T* panels = nullptr;  ///< From PackedLinear; first is column 0.
  int64_t panel_stride = 0;   ///< Elements from a panel to the next.
  int64_t k = 0;              ///< ≥ 1. Nothing of a row of A is read behind it.
  int64_t cols = 0;
  const float* bias = nullptr;             ///< [cols], padded with anything to whole panels.
  const Activation* activation = nullptr;  ///< Null: none.
  T* out = nullptr;
  int64_t out_stride = 0;
  T* workspace = nullptr;  ///< GemmKernel::WorkspaceElements, the caller's for the call.
};

/// How a product of type T runs, and the panels that it wants: `panel_cols` columns of B side by
/// side, their k rows one after the other. Rows are taken `panel_terms` at a time, each column's
/// terms next to each other, and are filled up with zeros to a multiple of `panel_depth`.
template <typename T>
struct GemmKernel {
  int64_t panel_cols = 0;
  int64_t panel_terms = 1;
  int64_t panel_depth = 1;
  int64_t tile_rows = 0;                           ///< Rows that it works on at once.
  int64_t padded_rows = 0;                         ///< Rows of A that it fills up in the workspace.
  void (*run)(const GemmArgs<T>& args) = nullptr;  ///< Null: this instruction set has none.

  int64_t PanelElements(int64_t k) const { return PaddedDepth(k) * panel_cols; }
  int64_t WorkspaceElements(int64_t k) const { return padded_rows * PaddedDepth(k); }
  int64_t PaddedDepth(int64_t k) const { return (k + panel_depth - 1) / panel_depth * panel_depth; }
};

/// Keys that attention takes at once, and columns (queries, each of each head) that pass by them. A
/// block of keys and values stays in the second-level cache. Many columns make up for gathering it:
/// what is kept of them streams by, one after the other.
inline constexpr int64_t kAttentionKeys = 128;
inline constexpr int64_t kAttentionColumns = 512;

/// Floats from a gathered key's or value's row to the next: an odd number of cache lines, so that
/// the same columns of many rows do not compete for the same places in the cache.
constexpr int64_t AttentionStride(int64_t head_dim) {
  constexpr int64_t kLine = 16;
  return ((head_dim + kLine - 1) / kLine | 1) * kLine;
}

/// Of AttentionArgs: gathered keys and values; queries, sums and softmax of the columns; scores and
/// zeros of the widest panel of all instruction sets.
constexpr int64_t AttentionWorkspaceFloats(int64_t head_dim) {
  constexpr int64_t kPanel = 32;
  return 2 * kAttentionKeys * AttentionStride(head_dim) + kAttentionColumns * (2 * head_dim + 2) +
         (kAttentionKeys + 1) * kPanel;
}

/// out = softmax(scale · Q Kᵀ + bias) V of the queries [query_begin, query_end) of one sequence of
/// `tokens` tokens, of all heads that share one key and value head. q, k, v and out point at the
/// sequence's first row.
template <typename T>
struct AttentionArgs {
  const T* q = nullptr;  ///< The heads of a token lie side by side.
  const T* k = nullptr;
  const T* v = nullptr;
  int64_t stride = 0;  ///< Elements from a token's row to the next, in q, k and v.
  int64_t tokens = 0;
  int64_t query_begin = 0;
  int64_t query_end = 0;
  int64_t group = 1;  ///< Query heads.
  int64_t head_dim = 0;
  float scale = 0;
  /// Query i sees the keys i − before … i + after.
  int64_t before = 0;
  int64_t after = 0;
  /// bias[h · bias_stride + j − i] for query i of the group's head h and key j. Null: none.
  const float* bias = nullptr;
  int64_t bias_stride = 0;
  T* out = nullptr;
  int64_t out_stride = 0;
  float* workspace = nullptr;  ///< AttentionWorkspaceFloats(head_dim), 64-byte aligned.
};

/// NormParams as plain pointers.
struct NormWeights {
  NormKind kind = NormKind::kLayer;
  const float* weight = nullptr;
  const float* bias = nullptr;  ///< Null: none.
  float epsilon = 0;
};

/// out = norm(x + residual).
template <typename T>
struct NormArgs {
  NormWeights norm;
  const T* x = nullptr;
  const T* residual = nullptr;  ///< Null: none.
  int64_t rows = 0;
  int64_t cols = 0;
  T* out = nullptr;  ///< May be x or residual.
};

/// x += y, out = norm(x).
template <typename T>
struct ResidualNormArgs {
  NormWeights norm;
  const T* y = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  T* x = nullptr;
  T* out = nullptr;
};

/// out = norm(words[ids] + positions[position_ids] + types[type_ids]).
template <typename T>
struct EmbedNormArgs {
  NormWeights norm;
  const T* words = nullptr;
  const int32_t* ids = nullptr;
  const T* positions = nullptr;  ///< Null: none.
  const int32_t* position_ids = nullptr;
  const T* types = nullptr;  ///< Null: none.
  const int32_t* type_ids = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  T* out = nullptr;
};

/// The turns of one position, see RopeParams.
struct RopeAngles {
  const float* cosines = nullptr;  ///< [half]
  const float* sines = nullptr;    ///< [half]
  int64_t half = 0;
};

/// The tokens of one sequence to one vector, the first `skip` of them left out.
template <typename T>
struct PoolArgs {
  PoolingMode mode = PoolingMode::kMean;
  const T* x = nullptr;
  int64_t stride = 0;  ///< Elements from a token's row to the next.
  int64_t tokens = 0;
  int64_t skip = 0;
  int64_t cols = 0;
  float* out = nullptr;  ///< [cols]
};

/// The kernels of one instruction set for activations of type T. Sums are float32. Plain pointers,
/// no failure, no allocation; any number of threads on different outputs.
template <typename T>
struct RowKernels {
  /// out[r] = table[ids[r]], or += where `add`.
  void (*embed)(const T* table, const int32_t* ids, int64_t rows, int64_t cols, bool add, T* out);
  void (*embed_norm)(const EmbedNormArgs<T>& args);
  void (*add)(const T* x, const T* y, int64_t n, T* out);
  void (*norm)(const NormArgs<T>& args);
  void (*residual_norm)(const ResidualNormArgs<T>& args);
  /// Turns `heads` pieces, head_dim apart, of one row. In place.
  void (*rope)(const RopeAngles& angles, int64_t heads, int64_t head_dim, T* x);
  void (*activate)(Activation activation, int64_t n, T* x);
  /// out[r, c] = activation(x[r, c]) × x[r, cols + c].
  void (*gate)(Activation activation, const T* x, int64_t rows, int64_t cols, T* out);
  void (*attention)(const AttentionArgs<T>& args);
  void (*pool)(const PoolArgs<T>& args);
  /// x / max(‖x‖₂, 1e-12), in place.
  void (*normalize)(int64_t cols, T* x);
  void (*widen)(const T* x, int64_t n, float* out);
};

struct Kernels {
  Isa isa;
  GemmKernel<float> gemm_f32;
  GemmKernel<BFloat16> gemm_bf16;  ///< Where HasBFloat16(isa).
  RowKernels<float> f32;
  RowKernels<BFloat16> bf16;

  /// Calls body(kernels) with those for activations of `dtype`, kFloat32 or kBFloat16.
  template <typename Body>
  void For(DType dtype, const Body& body) const {
    return dtype == DType::kFloat32 ? body(f32) : body(bf16);
  }
};

/// The kernels to use under the cap `isa`, which the processor has.
const Kernels& KernelsFor(Isa isa);

// What KernelsFor chooses from; each is defined in the file of its name.
const Kernels& Avx2Kernels();
const Kernels& Avx512Kernels();
const Kernels& Avx512Bf16Kernels();
const Kernels& AmxKernels();

}  // namespace rose::cpu
