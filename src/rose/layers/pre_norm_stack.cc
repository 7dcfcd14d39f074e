#include "rose/layers/pre_norm_stack.h"

namespace rose {

Tensor PreNormStack::operator()(Ops& ops, Tensor x, const ModelInput& input) const {
  const Tensor normed = ops.Scratch(x.rows, x.cols);
  ScratchScope scope(ops);
  const Tensor y = ops.Scratch(x.rows, x.cols);
  const auto& first = blocks.front().attention_norm;
  if (first) (*first)(ops, x, normed);
  Tensor attended = first ? normed : x;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const PreNormBlock& block = blocks[i];
    const bool last = i + 1 == blocks.size();
    const Norm& next = last ? final_norm : *blocks[i + 1].attention_norm;
    block.attention(ops, attended, input, y);
    ops.ResidualNorm(block.mlp_norm.params, y, x, normed);
    block.mlp(ops, normed, y);
    ops.ResidualNorm(next.params, y, x, normed);
    attended = normed;
  }
  return normed;
}

}  // namespace rose
