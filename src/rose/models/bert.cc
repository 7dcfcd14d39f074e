// BERT: learned positions, post-norm blocks. Devlin et al., 2018.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "rose/layers/mlp.h"
#include "rose/layers/norm.h"
#include "rose/layers/self_attention.h"
#include "rose/loading/config_keys.h"
#include "rose/models/families.h"

namespace rose {
namespace {

struct Block {
  SelfAttention attention;
  Norm attention_norm;
  Mlp mlp;
  Norm output_norm;

  /// In place.
  void operator()(Ops& ops, Tensor x, const BatchShape& shape) const {
    ScratchScope scope(ops);
    const Tensor y = ops.Scratch(x.rows, x.cols);
    attention(ops, x, shape, y);
    attention_norm.Sum(ops, y, x, x);
    mlp(ops, x, y);
    output_norm.Sum(ops, y, x, x);
  }
};

struct Bert final : Encoder {
  Tensor words, positions, types;
  Norm norm;
  std::vector<Block> blocks;

  Tensor Forward(Ops& ops, const ModelInput& input) const override {
    const Tensor x = ops.Scratch(input.shape.tokens(), words.cols);
    ops.EmbedNorm(words, input.ids, positions, input.position_ids, types, input.type_ids,
                  norm.params, x);
    for (const Block& block : blocks) block(ops, x, input.shape);
    return x;
  }
  int64_t hidden_size() const override { return words.cols; }
  int64_t vocabulary_size() const override { return words.rows; }
  int64_t positions_max() const override { return positions.rows; }
  int64_t type_vocabulary_size() const override { return types.rows; }
};

/// The numbers that every block shares.
struct BlockSizes {
  int64_t hidden = 0;
  int64_t inner = 0;
  float epsilon = 0;
  AttentionParams attention;
  Activation activation = Activation::kGelu;
};

absl::StatusOr<BlockSizes> ReadBlockSizes(const hub::Config& config) {
  BlockSizes sizes;
  ASSIGN_OR_RETURN(sizes.hidden, config.Int("hidden_size"));
  ASSIGN_OR_RETURN(sizes.inner, config.Int("intermediate_size"));
  ASSIGN_OR_RETURN(sizes.epsilon, config.Float("layer_norm_eps", 1e-12));
  ASSIGN_OR_RETURN(sizes.attention, ReadAttention(config, sizes.hidden));
  ASSIGN_OR_RETURN(sizes.activation, ReadActivation(config, "hidden_act"));
  return sizes;
}

Block LoadBlock(const std::string& name, const BlockSizes& sizes, Loader& load) {
  const auto [hidden, inner, epsilon, attention, activation] = sizes;
  const std::string self = name + ".attention.self";
  Block block;
  block.attention.params = attention;
  block.attention.qkv =
      load.FusedDense({self + ".query", self + ".key", self + ".value"}, hidden, hidden);
  block.attention.output = load.Dense(name + ".attention.output.dense", hidden, hidden);
  block.attention_norm = load.LayerNorm(name + ".attention.output.LayerNorm", hidden, epsilon);
  block.mlp.up = load.Dense(name + ".intermediate.dense", inner, hidden);
  block.mlp.activation = activation;
  block.mlp.down = load.Dense(name + ".output.dense", hidden, inner);
  block.output_norm = load.LayerNorm(name + ".output.LayerNorm", hidden, epsilon);
  return block;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Encoder>> LoadBert(const hub::Config& config, Loader& load) {
  ASSIGN_OR_RETURN(const BlockSizes sizes, ReadBlockSizes(config));
  ASSIGN_OR_RETURN(const int64_t layers, config.Int("num_hidden_layers"));
  ASSIGN_OR_RETURN(const int64_t words, config.Int("vocab_size"));
  ASSIGN_OR_RETURN(const int64_t positions, config.Int("max_position_embeddings"));
  ASSIGN_OR_RETURN(const int64_t types, config.Int("type_vocab_size"));
  RETURN_IF_ERROR(ExpectValue(config, "position_embedding_type", "absolute"));

  load.weights().AcceptPrefixes({"bert."});
  for (const char* unused : {"embeddings.position_ids", "pooler.*", "cls.*"}) {
    load.weights().Skip(unused);
  }
  auto bert = std::make_unique<Bert>();
  bert->words = load.Table("embeddings.word_embeddings.weight", words, sizes.hidden);
  bert->positions = load.Table("embeddings.position_embeddings.weight", positions, sizes.hidden);
  bert->types = load.Table("embeddings.token_type_embeddings.weight", types, sizes.hidden);
  bert->norm = load.LayerNorm("embeddings.LayerNorm", sizes.hidden, sizes.epsilon);
  for (int64_t i = 0; i < layers && load.ok(); ++i) {
    bert->blocks.push_back(LoadBlock(fmt::format("encoder.layer.{}", i), sizes, load));
  }
  return bert;
}

}  // namespace rose
