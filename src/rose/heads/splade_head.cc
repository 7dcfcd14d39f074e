#include "rose/heads/splade_head.h"

#include <array>
#include <cstdint>
#include <span>

namespace rose {

void SpladeHead::Run(Ops& ops, const ModelInput& input, Tensor hidden, Tensor out) const {
  constexpr std::array kSaturation = {Activation::kLog1pRelu, Activation::kLog1pRelu};
  const auto saturation = std::span(kSaturation).first(splade.log1p_twice ? 2 : 1);
  ScratchScope scope(ops);
  const Tensor x = ops.Scratch(hidden.rows, transform.out_features());
  ops.LinearActivate(*transform.weight, activation, hidden, x);
  norm(ops, x, x);
  if (splade.pooling == hub::Splade::Pooling::kSum) {
    ops.LinearPool(*decoder.weight, saturation, PoolingMode::kSum, x, input.shape, out);
  } else {
    // The logarithm does not change which logit is the largest: it may come last.
    ops.LinearPool(*decoder.weight, {}, PoolingMode::kMax, x, input.shape, out);
    for (Activation logarithm : saturation) ops.Activate(logarithm, out);
  }
}

}  // namespace rose
