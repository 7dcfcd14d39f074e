#pragma once

#include "rose/core/ops.h"
#include "rose/layers/linear.h"

namespace rose {

/// The two-layer perceptron of a block.
struct Mlp {
  Linear up;
  Linear down;
  Activation activation = Activation::kGelu;

  /// out = down(activation(up(x))).
  void operator()(Ops& ops, Tensor x, Tensor out) const;
};

}  // namespace rose
