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
    ScratchScope scope(ops);
    const Tensor y = ops.Scratch(x.rows, x.cols);
    attention(ops, x, input, y);
    attention_norm.Sum(ops, y, x, x);
    mlp(ops, x, y);
    mlp_norm.Sum(ops, y, x, x);
  }
};

}  // namespace rose
