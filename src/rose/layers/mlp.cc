#include "rose/layers/mlp.h"

namespace rose {

Tensor Mlp::operator()(Ops& ops, Tensor x) const {
  const Tensor inner = ops.Scratch(x.rows, up.out_features());
  ops.LinearActivate(*up.weight, activation, x, inner);
  return inner;
}

}  // namespace rose
