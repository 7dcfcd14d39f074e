#include "rose/core/ops.h"

namespace rose {

void Ops::EmbedNorm(Tensor words, std::span<const int32_t> ids, Tensor positions,
                    std::span<const int32_t> position_ids, Tensor types,
                    std::span<const int32_t> type_ids, const NormParams& norm, Tensor out) {
  Embed(words, ids, out, /*add=*/false);
  if (positions.data != nullptr) Embed(positions, position_ids, out, /*add=*/true);
  if (types.data != nullptr) Embed(types, type_ids, out, /*add=*/true);
  Norm(norm, out, out);
}

void Ops::LinearActivate(const LinearWeight& weight, Activation activation, Tensor x, Tensor out) {
  Linear(weight, x, out);
  Activate(activation, out);
}

void Ops::LinearGate(const LinearWeight& weight, Activation activation, Tensor x, Tensor out) {
  ScratchScope scope(*this);
  const Tensor both = Scratch(x.rows, weight.out_features, x.dtype);
  Linear(weight, x, both);
  Gate(activation, both, out);
}

void Ops::AddNorm(const NormParams& norm, Tensor x, Tensor residual, Tensor out) {
  Add(x, residual, out);
  Norm(norm, out, out);
}

void Ops::ResidualNorm(const NormParams& norm, Tensor y, Tensor x, Tensor out) {
  Add(x, y, x);
  Norm(norm, x, out);
}

void Ops::HeadNormRope(const NormParams& q_norm, const NormParams& k_norm, const RopeParams& rope,
                       std::span<const int32_t> position_ids, int64_t heads, int64_t kv_heads,
                       Tensor qkv) {
  HeadNorm(q_norm, 0, heads, qkv);
  HeadNorm(k_norm, heads * rope.head_dim, kv_heads, qkv);
  Rope(rope, position_ids, heads + kv_heads, qkv);
}

}  // namespace rose
