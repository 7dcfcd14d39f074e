// NomicBERT (Nussbaum et al., 2024): BERT with rotary positions, a gated perceptron and no biases.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "rose/layers/gated_mlp.h"
#include "rose/loading/config_keys.h"
#include "rose/loading/rope.h"
#include "rose/models/families.h"
#include "rose/models/post_norm_encoder.h"

namespace rose {
namespace {

/// An integer under its usual name, else under the one of GPT-2, which older files have.
absl::StatusOr<int64_t> IntOf(const hub::Config& config, const char* name, const char* old_name) {
  return config.Int(config.Has(name) ? name : old_name);
}

/// What other members of the family might do otherwise.
absl::Status ExpectNomic(const hub::Config& config) {
  for (const char* key : {"qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias", "prenorm", "causal",
                          "rotary_emb_interleaved", "use_rms_norm", "parallel_block"}) {
    RETURN_IF_ERROR(ExpectFlag(config, key, false));
  }
  ASSIGN_OR_RETURN(const double fraction, config.Float("rotary_emb_fraction", 1.0));
  if (fraction != 1) {
    return config.Error("rotary_emb_fraction", fmt::format("expected 1, got {}", fraction));
  }
  return ExpectValue(config, "activation_function", "swiglu");
}

PostNormBlock<GatedMlp> LoadBlock(const std::string& name, int64_t hidden, int64_t inner,
                                  float epsilon, Loader& load) {
  PostNormBlock<GatedMlp> block;
  block.attention.qkv = load.DenseNoBias(name + ".attn.Wqkv", 3 * hidden, hidden);
  block.attention.output = load.DenseNoBias(name + ".attn.out_proj", hidden, hidden);
  block.attention_norm = load.LayerNorm(name + ".norm1", hidden, epsilon);
  block.mlp.gate_up =
      load.Fused({{name + ".mlp.fc12", inner}, {name + ".mlp.fc11", inner}}, hidden, Bias::kNo);
  block.mlp.down = load.DenseNoBias(name + ".mlp.fc2", hidden, inner);
  block.mlp_norm = load.LayerNorm(name + ".norm2", hidden, epsilon);
  return block;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Encoder>> LoadNomicBert(const hub::ModelFolder& folder,
                                                       Loader& load) {
  const hub::Config& config = folder.config;
  ASSIGN_OR_RETURN(const int64_t hidden, IntOf(config, "hidden_size", "n_embd"));
  ASSIGN_OR_RETURN(const int64_t inner, IntOf(config, "intermediate_size", "n_inner"));
  ASSIGN_OR_RETURN(const int64_t layers, IntOf(config, "num_hidden_layers", "n_layer"));
  ASSIGN_OR_RETURN(const int64_t words, config.Int("vocab_size"));
  ASSIGN_OR_RETURN(const int64_t types, config.Int("type_vocab_size"));
  ASSIGN_OR_RETURN(float epsilon, ReadEpsilon(config, "layer_norm_epsilon", 1e-12F));
  ASSIGN_OR_RETURN(epsilon, ReadEpsilon(config, "layer_norm_eps", epsilon));
  const char* heads_key = config.Has("num_attention_heads") ? "num_attention_heads" : "n_head";
  ASSIGN_OR_RETURN(const AttentionParams attention, ReadAttention(config, hidden, heads_key));
  ASSIGN_OR_RETURN(const double base, ReadTheta(config, "rotary_emb_base", 10000.0));
  ASSIGN_OR_RETURN(const double theta, ReadRopeTheta(config, base));
  RETURN_IF_ERROR(ExpectNomic(config));

  load.weights().AcceptPrefixes({"bert."});
  for (const char* unused : {"pooler.*", "cls.*"}) load.weights().Skip(unused);
  auto nomic = std::make_unique<PostNormEncoder<GatedMlp>>();
  nomic->words = load.Table("embeddings.word_embeddings.weight", words, hidden);
  nomic->types = load.Table("embeddings.token_type_embeddings.weight", types, hidden);
  nomic->norm = load.LayerNorm("emb_ln", hidden, epsilon);
  nomic->longest = folder.max_length;
  const RopeParams rope = MakeRope(theta, folder.max_length, attention.head_dim, load);
  for (int64_t i = 0; i < layers && load.ok(); ++i) {
    PostNormBlock<GatedMlp>& block = nomic->blocks.emplace_back(
        LoadBlock(fmt::format("encoder.layers.{}", i), hidden, inner, epsilon, load));
    block.attention.params = attention;
    block.attention.rope = rope;
  }
  return nomic;
}

}  // namespace rose
