#include "rose/heads/classifier_head.h"

namespace rose {

void ClassifierHead::Run(Ops& ops, const ModelInput& input, Tensor hidden, Tensor out) const {
  ScratchScope scope(ops);
  const int64_t rows = input.shape.sequences();
  Tensor x = ops.Scratch(rows, hidden_size, DType::kFloat32);
  ops.Pool(pooling, hidden, input.shape, /*skip=*/{}, /*column=*/0, x);
  if (dense) {
    const Tensor y = ops.Scratch(rows, dense->out_features(), DType::kFloat32);
    (*dense)(ops, x, y);
    x = y;
  }
  if (activation) ops.Activate(*activation, x);
  if (norm) (*norm)(ops, x, x);
  logits(ops, x, out);
}

}  // namespace rose
