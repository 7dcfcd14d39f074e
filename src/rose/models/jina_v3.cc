// jina-embeddings-v3 (Sturua et al., 2024) without its task adapters: XLM-RoBERTa with rotary
// positions, as transformers names its tensors.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "rose/layers/mlp.h"
#include "rose/loading/block_sizes.h"
#include "rose/loading/config_keys.h"
#include "rose/loading/rope.h"
#include "rose/models/families.h"
#include "rose/models/post_norm_encoder.h"

namespace rose {
namespace {

PostNormBlock<Mlp> LoadBlock(const std::string& name, const BlockSizes& sizes, Loader& load) {
  const auto [hidden, inner, epsilon, activation, attention] = sizes;
  const std::string self = name + ".self_attn";
  PostNormBlock<Mlp> block;
  block.attention.params = attention;
  block.attention.qkv = load.Fused(
      {{self + ".q_proj", hidden}, {self + ".k_proj", hidden}, {self + ".v_proj", hidden}}, hidden,
      Bias::kYes);
  block.attention.output = load.Dense(self + ".o_proj", hidden, hidden);
  block.attention_norm = load.LayerNorm(name + ".post_attention_layernorm", hidden, epsilon);
  block.mlp.up = load.Dense(name + ".mlp.fc1", inner, hidden);
  block.mlp.activation = activation;
  block.mlp.down = load.Dense(name + ".mlp.fc2", hidden, inner);
  block.mlp_norm = load.LayerNorm(name + ".post_mlp_layernorm", hidden, epsilon);
  return block;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Encoder>> LoadJinaV3(const hub::ModelFolder& folder, Loader& load) {
  const hub::Config& config = folder.config;
  ASSIGN_OR_RETURN(BlockSizes sizes, ReadBlockSizes(config, "layer_norm_eps", 1e-5F));
  ASSIGN_OR_RETURN(sizes.attention, ReadAttention(config, sizes.hidden));
  ASSIGN_OR_RETURN(const int64_t layers, config.Int("num_hidden_layers"));
  ASSIGN_OR_RETURN(const int64_t words, config.Int("vocab_size"));
  ASSIGN_OR_RETURN(const int64_t types, config.Int("type_vocab_size"));
  ASSIGN_OR_RETURN(const double theta, ReadRopeTheta(config, 20000.0));

  load.weights().AcceptPrefixes({"roberta.", "model."});
  for (const char* unused : {"pooler.*", "lm_head.*"}) load.weights().Skip(unused);
  auto jina = std::make_unique<PostNormEncoder<Mlp>>();
  jina->words = load.Table("embeddings.word_embeddings.weight", words, sizes.hidden);
  jina->types = load.Table("embeddings.token_type_embeddings.weight", types, sizes.hidden);
  jina->norm = load.LayerNorm("embeddings.LayerNorm", sizes.hidden, sizes.epsilon);
  jina->longest = folder.max_length;
  const RopeParams rope = MakeRope(theta, folder.max_length, sizes.attention.head_dim, load);
  for (int64_t i = 0; i < layers && load.ok(); ++i) {
    jina->blocks.push_back(LoadBlock(fmt::format("layers.{}", i), sizes, load));
    jina->blocks.back().attention.rope = rope;
  }
  return jina;
}

}  // namespace rose
