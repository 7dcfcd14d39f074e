#include "rose/core/ops.h"

namespace rose {

void Ops::EmbedNorm(Tensor words, std::span<const int32_t> ids, Tensor positions,
                    std::span<const int32_t> position_ids, Tensor types,
                    std::span<const int32_t> type_ids, const NormParams& norm, Tensor out) {
  Embed(words, ids, out, /*add=*/false);
  Embed(positions, position_ids, out, /*add=*/true);
  Embed(types, type_ids, out, /*add=*/true);
  Norm(norm, out, out);
}

void Ops::LinearActivate(const LinearWeight& weight, Activation activation, Tensor x, Tensor out) {
  Linear(weight, x, out);
  Activate(activation, out);
}

void Ops::AddNorm(const NormParams& norm, Tensor x, Tensor residual, Tensor out) {
  Add(x, residual, out);
  Norm(norm, out, out);
}

}  // namespace rose
