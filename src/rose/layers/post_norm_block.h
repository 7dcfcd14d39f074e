#pragma once

#include "rose/core/model_input.h"
#include "rose/core/ops.h"
#include "rose/layers/norm.h"
#include "rose/layers/self_attention.h"

namespace rose {

/// The block of the first Transformer (Vaswani et al., 2017): each half is added to its input and
/// the sum is normed.
template <typename Mlp>
struct PostNormBlock {
  SelfAttention attention;
  Norm attention_norm;
  Mlp mlp;
  Norm mlp_norm;

  /// In place.
  void operator()(Ops& ops, Tensor x, const ModelInput& input) const {
    {
      ScratchScope scope(ops);
      attention.output.AddNorm(ops, attention_norm, attention(ops, x, input), x, x);
    }
    ScratchScope scope(ops);
    mlp.down.AddNorm(ops, mlp_norm, mlp(ops, x), x, x);
  }
};

}  // namespace rose
