// BERT (Devlin et al., 2018) and RoBERTa (Liu et al., 2019), whose checkpoints have the same names:
// learned positions, post-norm blocks. XLM-RoBERTa and CamemBERT are RoBERTa with other words.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "rose/layers/mlp.h"
#include "rose/loading/block_sizes.h"
#include "rose/loading/config_keys.h"
#include "rose/models/families.h"
#include "rose/models/post_norm_encoder.h"

namespace rose {
namespace {

using Bert = PostNormEncoder<Mlp>;

PostNormBlock<Mlp> LoadBlock(const std::string& name, const BlockSizes& sizes, Loader& load) {
  const auto [hidden, inner, epsilon, activation, attention] = sizes;
  const std::string self = name + ".attention.self";
  PostNormBlock<Mlp> block;
  block.attention.params = attention;
  block.attention.qkv =
      load.Fused({{self + ".query", hidden}, {self + ".key", hidden}, {self + ".value", hidden}},
                 hidden, Bias::kYes);
  block.attention.output = load.Dense(name + ".attention.output.dense", hidden, hidden);
  block.attention_norm = load.LayerNorm(name + ".attention.output.LayerNorm", hidden, epsilon);
  block.mlp.up = load.Dense(name + ".intermediate.dense", inner, hidden);
  block.mlp.activation = activation;
  block.mlp.down = load.Dense(name + ".output.dense", hidden, inner);
  block.mlp_norm = load.LayerNorm(name + ".output.LayerNorm", hidden, epsilon);
  return block;
}

/// `first_position`: the row of a sequence's first token.
absl::StatusOr<std::unique_ptr<Encoder>> Load(const hub::Config& config, int64_t first_position,
                                              Loader& load) {
  ASSIGN_OR_RETURN(BlockSizes sizes, ReadBlockSizes(config, "layer_norm_eps", 1e-12F));
  ASSIGN_OR_RETURN(sizes.attention, ReadAttention(config, sizes.hidden));
  ASSIGN_OR_RETURN(const int64_t layers, config.Int("num_hidden_layers"));
  ASSIGN_OR_RETURN(const int64_t words, config.Int("vocab_size"));
  ASSIGN_OR_RETURN(const int64_t positions, config.Int("max_position_embeddings"));
  ASSIGN_OR_RETURN(const int64_t types, config.Int("type_vocab_size"));
  RETURN_IF_ERROR(ExpectValue(config, "position_embedding_type", "absolute"));

  for (const char* unused : {"embeddings.position_ids", "pooler.*", "cls.*", "lm_head.*"}) {
    load.weights().Skip(unused);
  }
  auto bert = std::make_unique<Bert>();
  bert->words = load.Table("embeddings.word_embeddings.weight", words, sizes.hidden);
  bert->positions =
      load.Table("embeddings.position_embeddings.weight", positions, sizes.hidden, first_position);
  bert->longest = positions - first_position;
  bert->types = load.Table("embeddings.token_type_embeddings.weight", types, sizes.hidden);
  bert->norm = load.LayerNorm("embeddings.LayerNorm", sizes.hidden, sizes.epsilon);
  for (int64_t i = 0; i < layers && load.ok(); ++i) {
    bert->blocks.push_back(LoadBlock(fmt::format("encoder.layer.{}", i), sizes, load));
  }
  return bert;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Encoder>> LoadBert(const hub::ModelFolder& folder, Loader& load) {
  load.weights().AcceptPrefixes({"bert."});
  return Load(folder.config, 0, load);
}

absl::StatusOr<std::unique_ptr<Encoder>> LoadRoberta(const hub::ModelFolder& folder, Loader& load) {
  load.weights().AcceptPrefixes({"roberta.", "xlm-roberta.", "camembert."});
  ASSIGN_OR_RETURN(const int64_t first_position, ReadFirstPosition(folder.config));
  return Load(folder.config, first_position, load);
}

}  // namespace rose
