#pragma once

#include <optional>

#include "rose/layers/norm.h"
#include "rose/layers/pre_norm_stack.h"
#include "rose/models/encoder.h"

namespace rose {

/// Word embeddings, then pre-norm blocks whose attention rotates by position.
struct PreNormEncoder final : Encoder {
  Tensor words;
  std::optional<Norm> embedding_norm = {};
  PreNormStack stack;
  int64_t longest = 0;  ///< positions_max()

  Tensor Forward(Ops& ops, const ModelInput& input) const override {
    const Tensor x = ops.Scratch(input.shape.tokens, words.cols);
    ops.Embed(words, input.ids, x, /*add=*/false);
    if (embedding_norm) (*embedding_norm)(ops, x, x);
    return stack(ops, x, input);
  }
  int64_t hidden_size() const override { return words.cols; }
  int64_t head_dim() const override { return stack.blocks.front().attention.params.head_dim; }
  int64_t vocabulary_size() const override { return words.rows; }
  int64_t positions_max() const override { return longest; }
  int64_t type_vocabulary_size() const override { return 1; }
};

}  // namespace rose
