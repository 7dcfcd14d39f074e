// DistilBERT (Sanh et al., 2019): BERT without token types, under other names.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "rose/layers/mlp.h"
#include "rose/loading/config_keys.h"
#include "rose/models/families.h"
#include "rose/models/post_norm_encoder.h"

namespace rose {
namespace {

constexpr float kEpsilon = 1e-12F;  // Not in config.json.

PostNormBlock<Mlp> LoadBlock(const std::string& name, int64_t hidden, int64_t inner, Loader& load) {
  const std::string self = name + ".attention";
  PostNormBlock<Mlp> block;
  block.attention.qkv =
      load.Fused({{self + ".q_lin", hidden}, {self + ".k_lin", hidden}, {self + ".v_lin", hidden}},
                 hidden, Bias::kYes);
  block.attention.output = load.Dense(self + ".out_lin", hidden, hidden);
  block.attention_norm = load.LayerNorm(name + ".sa_layer_norm", hidden, kEpsilon);
  block.mlp.up = load.Dense(name + ".ffn.lin1", inner, hidden);
  block.mlp.down = load.Dense(name + ".ffn.lin2", hidden, inner);
  block.mlp_norm = load.LayerNorm(name + ".output_layer_norm", hidden, kEpsilon);
  return block;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Encoder>> LoadDistilBert(const hub::ModelFolder& folder,
                                                        Loader& load) {
  const hub::Config& config = folder.config;
  ASSIGN_OR_RETURN(const int64_t hidden, config.Int("dim"));
  ASSIGN_OR_RETURN(const int64_t inner, config.Int("hidden_dim"));
  ASSIGN_OR_RETURN(const int64_t layers, config.Int("n_layers"));
  ASSIGN_OR_RETURN(const int64_t words, config.Int("vocab_size"));
  ASSIGN_OR_RETURN(const int64_t positions, config.Int("max_position_embeddings"));
  ASSIGN_OR_RETURN(const AttentionParams attention, ReadAttention(config, hidden, "n_heads"));
  ASSIGN_OR_RETURN(const Activation activation, ReadActivation(config, "activation"));

  load.weights().AcceptPrefixes({"distilbert."});
  for (const char* unused : {"embeddings.position_ids", "vocab_*"}) load.weights().Skip(unused);
  auto bert = std::make_unique<PostNormEncoder<Mlp>>();
  bert->words = load.Table("embeddings.word_embeddings.weight", words, hidden);
  bert->positions = load.Table("embeddings.position_embeddings.weight", positions, hidden);
  bert->longest = positions;
  bert->norm = load.LayerNorm("embeddings.LayerNorm", hidden, kEpsilon);
  for (int64_t i = 0; i < layers && load.ok(); ++i) {
    PostNormBlock<Mlp>& block = bert->blocks.emplace_back(
        LoadBlock(fmt::format("transformer.layer.{}", i), hidden, inner, load));
    block.attention.params = attention;
    block.mlp.activation = activation;
  }
  return bert;
}

}  // namespace rose
