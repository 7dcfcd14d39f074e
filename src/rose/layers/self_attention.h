#pragma once

#include <optional>

#include "rose/core/model_input.h"
#include "rose/core/ops.h"
#include "rose/layers/linear.h"
#include "rose/layers/norm.h"

namespace rose {

/// Norms over each head of the queries and of the keys (Henry et al., 2020).
struct HeadNorms {
  Norm query;
  Norm key;
};

/// Multi-head attention of a sequence to itself.
struct SelfAttention {
  Linear qkv;     ///< hidden → queries, keys and values of all heads side by side.
  Linear output;  ///< What the block adds: it takes the heads' contexts.
  AttentionParams params;
  std::optional<RopeParams> rope = {};
  std::optional<HeadNorms> head_norms = {};  ///< Goes with rope.

  /// The heads' contexts: attention(rope(head_norms(qkv(x)))), in the arena.
  Tensor operator()(Ops& ops, Tensor x, const ModelInput& input) const;
};

}  // namespace rose
