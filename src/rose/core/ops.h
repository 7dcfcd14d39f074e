#pragma once

#include <cstdint>
#include <span>

#include "rose/core/backend.h"
#include "rose/core/tensor.h"

namespace rose {

enum class Activation : uint8_t {
  kGelu,      ///< x Φ(x), the erf form: Hugging Face's "gelu".
  kGeluTanh,  ///< "gelu_pytorch_tanh", "gelu_new".
  kRelu,
  kTanh,
};

/// y = (x − mean) / sqrt(variance + epsilon) × weight + bias, per row, in float32.
struct NormParams {
  Tensor weight;  ///< float32 [1 × cols]
  Tensor bias;    ///< float32 [1 × cols]
  float epsilon = 0;
};

struct AttentionParams {
  int heads = 0;
  int head_dim = 0;
  float scale = 0;  ///< Of the scores, before softmax.
};

/// Row ranges of the packed sequences. Sequence s holds rows cu_seqlens[s] … cu_seqlens[s+1]−1.
struct BatchShape {
  std::span<const int32_t> cu_seqlens;  ///< [sequences + 1], first 0.

  int64_t sequences() const { return static_cast<int64_t>(cu_seqlens.size()) - 1; }
  int64_t tokens() const { return cu_seqlens.empty() ? 0 : cu_seqlens.back(); }
};

/// How the rows of a sequence become one vector: sentence-transformers' modes, named as
/// hub::PoolingMode names them.
enum class PoolingMode : uint8_t { kCls, kMax, kMean, kMeanSqrtLen, kWeightedMean, kLastToken };

/// What layers call: one step's operations on one device. A Tensor argument called `out` is
/// written, the others are read; they may not overlap unless said so. Activations have dtype();
/// sums, norms, softmax and pooling are computed in float32. Nothing allocates from the system,
/// nothing waits for a device, nothing fails. One thread.
///
/// A fused operation has a default body made of primitive ones: that body is its specification. A
/// backend may override it, and the kernel's test compares the two.
class Ops {
 public:
  virtual ~Ops() = default;

  virtual DType dtype() const = 0;

  /// Arena memory, 64-byte aligned, uninitialised; given back by ScratchScope.
  virtual Tensor Scratch(int64_t rows, int64_t cols, DType dtype) = 0;
  Tensor Scratch(int64_t rows, int64_t cols) { return Scratch(rows, cols, dtype()); }
  virtual int64_t ScratchMark() const = 0;
  virtual void ScratchRelease(int64_t mark) = 0;

  // Primitive operations.

  /// out[r] = table[ids[r]], or += where `add`. ids are within the table.
  virtual void Embed(Tensor table, std::span<const int32_t> ids, Tensor out, bool add) = 0;
  /// out = x + y. `out` may be x or y.
  virtual void Add(Tensor x, Tensor y, Tensor out) = 0;
  /// `out` may be x.
  virtual void Norm(const NormParams& norm, Tensor x, Tensor out) = 0;
  /// out = x Wᵀ + b. x [rows × in_features], out [rows × out_features].
  virtual void Linear(const LinearWeight& weight, Tensor x, Tensor out) = 0;
  /// In place.
  virtual void Activate(Activation activation, Tensor x) = 0;
  /// Every token sees every token of its own sequence and no other:
  /// out = softmax(scale · Q Kᵀ) V per head. `qkv` [tokens × 3·heads·head_dim] holds the queries of
  /// all heads, then the keys, then the values; out [tokens × heads·head_dim].
  virtual void Attention(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                         Tensor out) = 0;
  /// out float32 [sequences × out_cols]: writes columns [column, column + x.cols) of each row s
  /// from h, the n tokens of sequence s, of which the first k = min(skip[s], n) do not count
  /// (`skip` empty: all count). As sentence-transformers 6.0.1 does (Pooling._forward_padded):
  ///   kCls           h[k], or h[0] if no token counts (k = n)
  ///   kMax           max of h[i] over i ≥ k; −∞ if no token counts
  ///   kMean          Σ h[i] / (n − k) over i ≥ k; 0 if no token counts
  ///   kMeanSqrtLen   Σ h[i] / sqrt(n − k); 0 if no token counts
  ///   kWeightedMean  Σ (i+1) h[i] / Σ (i+1), i counted from the sequence's begin; 0 if none counts
  ///   kLastToken     h[n−1]; 0 if no token counts
  virtual void Pool(PoolingMode mode, Tensor x, const BatchShape& shape,
                    std::span<const int32_t> skip, int64_t column, Tensor out) = 0;
  /// x float32, in place: rows r with flags[r] ≠ 0 become x[r] / max(‖x[r]‖₂, 1e-12).
  virtual void Normalize(std::span<const uint8_t> flags, Tensor x) = 0;

  // Fused operations.

  /// out = norm(words[ids] + positions[position_ids] + types[type_ids]).
  virtual void EmbedNorm(Tensor words, std::span<const int32_t> ids, Tensor positions,
                         std::span<const int32_t> position_ids, Tensor types,
                         std::span<const int32_t> type_ids, const NormParams& norm, Tensor out);
  /// out = activation(x Wᵀ + b).
  virtual void LinearActivate(const LinearWeight& weight, Activation activation, Tensor x,
                              Tensor out);
  /// out = norm(x + residual). `out` may be x or residual.
  virtual void AddNorm(const NormParams& norm, Tensor x, Tensor residual, Tensor out);
};

/// Gives back, when it ends, what Scratch handed out since it began.
class ScratchScope {
 public:
  explicit ScratchScope(Ops& ops) : ops_(ops), mark_(ops.ScratchMark()) {}
  ~ScratchScope() { ops_.ScratchRelease(mark_); }
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;

 private:
  Ops& ops_;
  int64_t mark_;
};

}  // namespace rose
