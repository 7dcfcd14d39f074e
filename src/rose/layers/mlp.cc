#include "rose/layers/mlp.h"

namespace rose {

void Mlp::operator()(Ops& ops, Tensor x, Tensor out) const {
  ScratchScope scope(ops);
  const Tensor inner = ops.Scratch(x.rows, up.out_features());
  ops.LinearActivate(*up.weight, activation, x, inner);
  down(ops, inner, out);
}

}  // namespace rose
