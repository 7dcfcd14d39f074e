#pragma once

#include "rose/core/ops.h"
#include "rose/layers/linear.h"

namespace rose {

/// Multi-head attention of a sequence to itself, from projection to projection.
struct SelfAttention {
  Linear qkv;  ///< hidden → queries, keys and values of all heads side by side.
  Linear output;
  AttentionParams params;

  /// out = output(attention(qkv(x))).
  void operator()(Ops& ops, Tensor x, const BatchShape& shape, Tensor out) const;
};

}  // namespace rose
