#pragma once

#include <cstdint>
#include <span>

#include "rose/core/backend.h"
#include "rose/core/tensor.h"

namespace rose {

enum class Activation : uint8_t {
  kGelu,       ///< x Φ(x), the erf form: Hugging Face's "gelu".
  kGeluTanh,   ///< "gelu_pytorch_tanh", "gelu_new".
  kRelu,       ///< max(x, 0)
  kSilu,       ///< x / (1 + e^−x): also called swish.
  kTanh,       //
  kSigmoid,    ///< 1 / (1 + e^−x)
  kLog1pRelu,  ///< ln(1 + max(x, 0)): SPLADE's.
};

enum class NormKind : uint8_t {
  kLayer,  ///< y = (x − mean) / sqrt(variance + epsilon) × weight + bias.
  kRms,    ///< y = x / sqrt(mean(x²) + epsilon) × weight + bias (Zhang and Sennrich, 2019).
};

/// A norm of each row, in float32.
struct NormParams {
  NormKind kind = NormKind::kLayer;
  Tensor weight;     ///< float32 [1 × cols]
  Tensor bias = {};  ///< float32 [1 × cols], or null: none.
  float epsilon = 0;
};

enum class AttentionMask : uint8_t {
  kFull,    ///< A token sees every token of its own sequence.
  kCausal,  ///< Those up to itself.
};

struct AttentionParams {
  int heads = 0;     ///< Of the queries.
  int kv_heads = 0;  ///< Of keys and values (Ainslie et al., 2023); divides heads. 0: as heads.
  int head_dim = 0;
  float scale = 0;  ///< Of the scores, before softmax.
  AttentionMask mask = AttentionMask::kFull;
  /// Token i sees token j only if |i − j| ≤ window (kFull) or i − j < window (kCausal). 0: no
  /// limit.
  int window = 0;
  /// float32 [heads × (2P − 1)], or null: entry [h, j − i + P − 1] is added to head h's scaled
  /// score of query i and key j. No sequence has more than P tokens.
  Tensor position_bias = {};

  int key_value_heads() const { return kv_heads == 0 ? heads : kv_heads; }
  /// Columns of a token's queries, keys and values side by side.
  int64_t qkv_cols() const { return (heads + int64_t{2} * key_value_heads()) * head_dim; }
};

/// Rotary positions (Su et al., 2021), in the form of GPT-NeoX: of a head's first rotary_dim
/// columns, column c and column c + rotary_dim / 2 turn together.
struct RopeParams {
  /// float32 [positions × rotary_dim]: the cosines of a position's rotary_dim / 2 angles, then the
  /// sines.
  Tensor table;
  int head_dim = 0;
  int rotary_dim = 0;  ///< Even, at most head_dim; the columns behind stay.
};

/// Row ranges of the packed sequences. Sequence s holds rows cu_seqlens[s] … cu_seqlens[s+1]−1.
struct BatchShape {
  std::span<const int32_t> cu_seqlens;  ///< [sequences + 1], first 0.

  int64_t sequences() const {
    return cu_seqlens.empty() ? 0 : static_cast<int64_t>(cu_seqlens.size()) - 1;
  }
  int64_t tokens() const { return cu_seqlens.empty() ? 0 : cu_seqlens.back(); }
};

/// How the rows of a sequence become one vector: sentence-transformers' modes, named as
/// hub::PoolingMode names them, and the sum that SPLADE may ask for.
enum class PoolingMode : uint8_t {
  kCls,
  kMax,
  kMean,
  kMeanSqrtLen,
  kWeightedMean,
  kLastToken,
  kSum,
};

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
  /// h / (heads / kv_heads). out [tokens × heads·head_dim].
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
  /// The norm and the rotary position of the queries and of the keys in `qkv`, which is as for
  /// Attention. In place.
  virtual void HeadNormRope(const NormParams& q_norm, const NormParams& k_norm,
                            const RopeParams& rope, std::span<const int32_t> position_ids,
                            int64_t heads, int64_t kv_heads, Tensor qkv);
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
