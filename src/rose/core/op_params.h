#pragma once

#include <cstdint>
#include <span>

#include "rose/core/tensor.h"

// The words in which operations are asked for, from the layers down to the kernels of any device.

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

/// Keys and values that stay from step to step, in pages of a pool (Kwon et al., 2023), as decoders
/// have them. Declared, so that it has its place: no device computes it yet.
struct PagedKeys {
  /// [pages · page_size × 2·kv_heads·head_dim]: a token's keys, then its values.
  Tensor pool;
  int page_size = 0;  ///< Tokens in a page.
  /// int32 [sequences × pages_max]: which pages hold a sequence's tokens, in their order.
  Tensor page_table;
  /// int32 [1 × sequences]: a sequence's tokens in the pool, those of the running step last.
  Tensor lengths;
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
  /// Null: a sequence's keys and values are those in qkv. Else those of the pool, all in the memory
  /// of the device that runs the step, and of qkv the queries alone are read.
  const PagedKeys* paged_keys = nullptr;

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

/// What is done to each head of the queries and keys of packed qkv between product and attention.
/// Where the norms have no weights there are none; without a table nothing is turned.
struct HeadNormRopeParams {
  NormParams q_norm = {};
  NormParams k_norm = {};
  RopeParams rope = {};
  std::span<const int32_t> position_ids = {};  ///< [tokens], where the step runs.
  int64_t heads = 0;                           ///< Of the queries.
  int64_t kv_heads = 0;
};

/// Row ranges of the packed sequences. Sequence s holds rows cu_seqlens[s] … cu_seqlens[s+1]−1.
struct BatchShape {
  /// [sequences + 1], first 0; in the memory of the device that runs the step, so that what is
  /// written for every device reads its size alone. A device whose steps are padded to the shape of
  /// a graph ends it with empty sequences.
  std::span<const int32_t> cu_seqlens;
  /// Rows of the activations: cu_seqlens' last, or more where the step is padded.
  int64_t tokens = 0;

  /// Without padding, where the host can read them.
  static BatchShape OfHost(std::span<const int32_t> cu_seqlens) {
    return {.cu_seqlens = cu_seqlens, .tokens = cu_seqlens.empty() ? 0 : cu_seqlens.back()};
  }
  int64_t sequences() const {
    return cu_seqlens.empty() ? 0 : static_cast<int64_t>(cu_seqlens.size()) - 1;
  }
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

}  // namespace rose
