#include "rose/layers/gated_mlp.h"

namespace rose {

void GatedMlp::operator()(Ops& ops, Tensor x, Tensor out) const {
  ScratchScope scope(ops);
  const Tensor inner = ops.Scratch(x.rows, gate_up.out_features() / 2);
  ops.LinearGate(*gate_up.weight, activation, x, inner);
  down(ops, inner, out);
}

}  // namespace rose
