#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rose/core/model_input.h"
#include "rose/core/ops.h"
#include "rose/layers/gated_mlp.h"
#include "rose/layers/norm.h"
#include "rose/layers/self_attention.h"

namespace rose {

/// A block whose halves read the normed sum of all before them (Xiong et al., 2020).
struct PreNormBlock {
  std::optional<Norm> attention_norm;  ///< ModernBERT's first block has none.
  SelfAttention attention;
  Norm mlp_norm;
  GatedMlp mlp;
};

/// Pre-norm blocks and the norm behind them. Each half's sum goes with the norm of the next half in
/// one operation, across the blocks' borders.
struct PreNormStack {
  std::vector<PreNormBlock> blocks;
  Norm final_norm;

  /// The last hidden states, in the arena; x is the sum of all halves afterwards.
  Tensor operator()(Ops& ops, Tensor x, const ModelInput& input) const;
};

}  // namespace rose
