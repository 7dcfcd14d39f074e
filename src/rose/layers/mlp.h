#pragma once

#include "rose/core/ops.h"
#include "rose/layers/linear.h"

namespace rose {

/// The two-layer perceptron of a block.
struct Mlp {
  Linear up;
  Linear down;  ///< What the block adds.
  Activation activation = Activation::kGelu;

  /// What down takes: activation(up(x)), in the arena.
  Tensor operator()(Ops& ops, Tensor x) const;
};

}  // namespace rose
