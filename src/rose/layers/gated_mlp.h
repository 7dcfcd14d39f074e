#pragma once

#include "rose/core/ops.h"
#include "rose/layers/linear.h"

namespace rose {

/// The gated perceptron of a block (Shazeer, GLU variants improve Transformer, 2020).
struct GatedMlp {
  Linear gate_up;  ///< The half that goes through the activation, then the half that it scales.
  Linear down;     ///< What the block adds.
  Activation activation = Activation::kSilu;

  /// What down takes: activation(gate(x)) × up(x), in the arena.
  Tensor operator()(Ops& ops, Tensor x) const;
};

}  // namespace rose
