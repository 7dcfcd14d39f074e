#pragma once

#include <vector>

#include "rose/layers/norm.h"
#include "rose/layers/post_norm_block.h"
#include "rose/models/encoder.h"

namespace rose {

/// BERT and its kin: the sum of embeddings, normed, then post-norm blocks.
template <typename Mlp>
struct PostNormEncoder final : Encoder {
  Tensor words;
  Tensor positions = {};  ///< Null where the blocks rotate. Row 0 is a sequence's first token.
  Tensor types = {};      ///< Null: there are none.
  Norm norm;
  std::vector<PostNormBlock<Mlp>> blocks;
  int64_t longest = 0;  ///< positions_max()

  Tensor Forward(Ops& ops, const ModelInput& input) const override {
    const auto ids_for = [](const Tensor& table, std::span<const int32_t> ids) {
      return table.rows == 0 ? std::span<const int32_t>() : ids;
    };
    const Tensor x = ops.Scratch(input.shape.tokens, words.cols);
    ops.EmbedNorm(words, input.ids, positions, ids_for(positions, input.position_ids), types,
                  ids_for(types, input.type_ids), norm.params, x);
    for (const PostNormBlock<Mlp>& block : blocks) block(ops, x, input);
    return x;
  }
  int64_t hidden_size() const override { return words.cols; }
  int64_t head_dim() const override { return blocks.front().attention.params.head_dim; }
  int64_t vocabulary_size() const override { return words.rows; }
  int64_t positions_max() const override { return longest; }
  int64_t type_vocabulary_size() const override { return types.rows == 0 ? 1 : types.rows; }
};

}  // namespace rose
