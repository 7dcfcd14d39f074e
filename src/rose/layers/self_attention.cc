#include "rose/layers/self_attention.h"

namespace rose {

Tensor SelfAttention::operator()(Ops& ops, Tensor x, const ModelInput& input) const {
  const int kv_heads = params.key_value_heads();
  const Tensor context = ops.Scratch(x.rows, int64_t{params.heads} * params.head_dim);
  ScratchScope scope(ops);
  const Tensor projected = ops.Scratch(x.rows, qkv.out_features());
  qkv(ops, x, projected);
  if (head_norms) {
    ops.HeadNormRope({.q_norm = head_norms->query.params,
                      .k_norm = head_norms->key.params,
                      .rope = *rope,
                      .position_ids = input.position_ids,
                      .heads = params.heads,
                      .kv_heads = kv_heads},
                     projected);
  } else if (rope) {
    ops.Rope(*rope, input.position_ids, params.heads + kv_heads, projected);
  }
  ops.Attention(params, projected, input.shape, context);
  return context;
}

}  // namespace rose
