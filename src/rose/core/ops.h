#pragma once

#include <cstdint>
#include <span>

#include "rose/core/backend.h"
#include "rose/core/op_params.h"
#include "rose/core/tensor.h"

namespace rose {

/// What layers call: one step's operations on one device. A Tensor argument called `out` is
/// written, the others are read; they may not overlap unless said so. Activations have dtype(); all
/// operations take float32 ones also where dtype() is another (what follows pooling is float32), as
/// long as an operation's activations, tables and LinearWeight are of one dtype. Sums, norms,
/// softmax and pooling are computed in float32. No rows are fine. Nothing allocates from the
/// system, nothing waits for a device, nothing fails. One thread.
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
  /// The norm of each of `heads` pieces of a row, norm.weight.cols wide, the first at `column`. In
  /// place.
  virtual void HeadNorm(const NormParams& norm, int64_t column, int64_t heads, Tensor x) = 0;
  /// Turns the first `heads` pieces of a row, rope.head_dim wide, by the row's position:
  ///   x[c] cos − x[c + half] sin,  x[c + half] cos + x[c] sin,  c < half = rotary_dim / 2.
  /// In place.
  virtual void Rope(const RopeParams& rope, std::span<const int32_t> position_ids, int64_t heads,
                    Tensor x) = 0;
  /// out = x Wᵀ + b. x [rows × in_features], out [rows × out_features].
  virtual void Linear(const LinearWeight& weight, Tensor x, Tensor out) = 0;
  /// In place.
  virtual void Activate(Activation activation, Tensor x) = 0;
  /// out[:, c] = activation(x[:, c]) × x[:, n + c]. x [rows × 2n], out [rows × n]. Shazeer, 2020.
  virtual void Gate(Activation activation, Tensor x, Tensor out) = 0;
  /// out = softmax(scale · Q Kᵀ + bias) V per head, over the tokens of the own sequence that mask
  /// and window leave. `qkv` [tokens × (heads + 2·kv_heads)·head_dim] holds the queries of all
  /// heads, then the keys, then the values; query head h goes with key and value head
  /// h / (heads / kv_heads). out [tokens × heads·head_dim]. Softmax's weights may be rounded to the
  /// dtype of `qkv` before they meet the values. Keys in pages (params.paged_keys) are declared for
  /// decoders; no backend computes them yet.
  virtual void Attention(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                         Tensor out) = 0;
  /// out float32 [sequences × out_cols]: writes columns [column, column + x.cols) of each row s
  /// from h, the n tokens of sequence s, of which the first k = min(skip[s], n) do not count
  /// (`skip` empty: all count). As sentence-transformers 6.0.1 does (Pooling._forward_padded):
  ///   kCls           h[k], or h[0] if no token counts (k = n)
  ///   kMax           max of h[i] over i ≥ k, NaN if one of them is; −∞ if no token counts
  ///   kMean          Σ h[i] / (n − k) over i ≥ k; 0 if no token counts
  ///   kMeanSqrtLen   Σ h[i] / sqrt(n − k); 0 if no token counts
  ///   kWeightedMean  Σ (i+1) h[i] / Σ (i+1), i counted from the sequence's begin; 0 if none counts
  ///   kLastToken     h[n−1]; 0 if no token counts
  ///   kSum           Σ h[i]; 0 if no token counts
  virtual void Pool(PoolingMode mode, Tensor x, const BatchShape& shape,
                    std::span<const int32_t> skip, int64_t column, Tensor out) = 0;
  /// In place: rows r with flags[r] ≠ 0 (`flags` empty: all) become x[r] / max(‖x[r]‖₂, 1e-12).
  virtual void Normalize(std::span<const uint8_t> flags, Tensor x) = 0;
  /// out = x, as float32.
  virtual void Widen(Tensor x, Tensor out) = 0;

  // Fused operations.

  /// out = norm(words[ids] + positions[position_ids] + types[type_ids]). `positions` or `types`
  /// may be null, with no ids: then it does not count.
  virtual void EmbedNorm(Tensor words, std::span<const int32_t> ids, Tensor positions,
                         std::span<const int32_t> position_ids, Tensor types,
                         std::span<const int32_t> type_ids, const NormParams& norm, Tensor out);
  /// out = activation(x Wᵀ + b).
  virtual void LinearActivate(const LinearWeight& weight, Activation activation, Tensor x,
                              Tensor out);
  /// out = gate(x Wᵀ + b). out [rows × out_features / 2].
  virtual void LinearGate(const LinearWeight& weight, Activation activation, Tensor x, Tensor out);
  /// out = norm(x + residual). `out` may be x or residual.
  virtual void AddNorm(const NormParams& norm, Tensor x, Tensor residual, Tensor out);
  /// x += y, out = norm(x): from one pre-norm block's half to the next.
  virtual void ResidualNorm(const NormParams& norm, Tensor y, Tensor x, Tensor out);
  /// x += y Wᵀ + b, out = norm(x): how each half of a block ends. `out` may be x, as where the norm
  /// comes last.
  virtual void LinearResidualNorm(const LinearWeight& weight, const NormParams& norm, Tensor y,
                                  Tensor x, Tensor out);
  /// The norm and the rotary position of the queries and of the keys in `qkv`, which is as for
  /// Attention. In place.
  virtual void HeadNormRope(const HeadNormRopeParams& params, Tensor qkv);
  /// out = normalize(pool(x)), as Pool and Normalize say.
  virtual void PoolNormalize(PoolingMode mode, Tensor x, const BatchShape& shape,
                             std::span<const int32_t> skip, std::span<const uint8_t> flags,
                             Tensor out);
  /// out float32 [sequences × out_features] = pool(activations(x Wᵀ + b)), the activations one
  /// after the other, without ever holding the products of more than a block of tokens. `mode` is
  /// kMax or kSum. The default body reads cu_seqlens.
  virtual void LinearPool(const LinearWeight& weight, std::span<const Activation> activations,
                          PoolingMode mode, Tensor x, const BatchShape& shape, Tensor out);
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
