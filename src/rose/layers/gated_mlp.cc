#include "rose/layers/gated_mlp.h"

namespace rose {

Tensor GatedMlp::operator()(Ops& ops, Tensor x) const {
  const Tensor inner = ops.Scratch(x.rows, gate_up.out_features() / 2);
  ops.LinearGate(*gate_up.weight, activation, x, inner);
  return inner;
}

}  // namespace rose
