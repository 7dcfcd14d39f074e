#include "rose/layers/self_attention.h"

namespace rose {

void SelfAttention::operator()(Ops& ops, Tensor x, const ModelInput& input, Tensor out) const {
  ScratchScope scope(ops);
  const int kv_heads = params.key_value_heads();
  const Tensor projected = ops.Scratch(x.rows, qkv.out_features());
  const Tensor context = ops.Scratch(x.rows, int64_t{params.heads} * params.head_dim);
  qkv(ops, x, projected);
  if (head_norms) {
    ops.HeadNormRope(head_norms->query.params, head_norms->key.params, *rope, input.position_ids,
                     params.heads, kv_heads, projected);
  } else if (rope) {
    ops.Rope(*rope, input.position_ids, params.heads + kv_heads, projected);
  }
  ops.Attention(params, projected, input.shape, context);
  output(ops, context, out);
}

}  // namespace rose
