#include "rose/layers/pre_norm_stack.h"

namespace rose {

Tensor PreNormStack::operator()(Ops& ops, Tensor x, const ModelInput& input) const {
  const Tensor normed = ops.Scratch(x.rows, x.cols);
  const auto& first = blocks.front().attention_norm;
  if (first) (*first)(ops, x, normed);
  Tensor attended = first ? normed : x;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const PreNormBlock& block = blocks[i];
    const bool last = i + 1 == blocks.size();
    const Norm& next = last ? final_norm : *blocks[i + 1].attention_norm;
    {
      ScratchScope scope(ops);
      block.attention.output.AddNorm(ops, block.mlp_norm, block.attention(ops, attended, input), x,
                                     normed);
    }
    ScratchScope scope(ops);
    block.mlp.down.AddNorm(ops, next, block.mlp(ops, normed), x, normed);
    attended = normed;
  }
  return normed;
}

}  // namespace rose
