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

/// Multi-head attention of a sequence to itself, from projection to projection.
struct SelfAttention {
  Linear qkv;  ///< hidden → queries, keys and values of all heads side by side.
  Linear output;
  AttentionParams params;
  std::optional<RopeParams> rope = {};
  std::optional<HeadNorms> head_norms = {};  ///< Goes with rope.

  /// out = output(attention(rope(head_norms(qkv(x))))).
  void operator()(Ops& ops, Tensor x, const ModelInput& input, Tensor out) const;
};

}  // namespace rose
