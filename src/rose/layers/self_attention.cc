#include "rose/layers/self_attention.h"

namespace rose {

void SelfAttention::operator()(Ops& ops, Tensor x, const BatchShape& shape, Tensor out) const {
  ScratchScope scope(ops);
  const Tensor projected = ops.Scratch(x.rows, qkv.out_features());
  const Tensor context = ops.Scratch(x.rows, int64_t{params.heads} * params.head_dim);
  qkv(ops, x, projected);
  ops.Attention(params, projected, shape, context);
  output(ops, context, out);
}

}  // namespace rose
