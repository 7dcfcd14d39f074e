// Qwen3 (Yang et al., 2025): pre-norm blocks with RMS norms, also over the heads of queries and
// keys, grouped heads and rotary positions. Causal as a language model and in Qwen3-Embedding;
// pplx-embed-v1 is the same without the mask.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "rose/loading/block_sizes.h"
#include "rose/loading/config_keys.h"
#include "rose/loading/rope.h"
#include "rose/models/families.h"
#include "rose/models/pre_norm_encoder.h"

namespace rose {
namespace {

absl::StatusOr<AttentionMask> ReadMask(const hub::ModelFolder& folder) {
  const bool is_pplx = folder.model_type == "bidirectional_pplx_qwen3";
  ASSIGN_OR_RETURN(const bool full, folder.config.Bool("use_bidirectional_attention", is_pplx));
  ASSIGN_OR_RETURN(const bool causal, folder.config.Bool("is_causal", !full));
  return causal ? AttentionMask::kCausal : AttentionMask::kFull;
}

PreNormBlock LoadBlock(const std::string& name, const BlockSizes& sizes, Loader& load) {
  const auto [hidden, inner, epsilon, activation, attention] = sizes;
  const int64_t queries = int64_t{attention.heads} * attention.head_dim;
  const int64_t keys = int64_t{attention.kv_heads} * attention.head_dim;
  const std::string self = name + ".self_attn", mlp = name + ".mlp";
  PreNormBlock block;
  block.attention_norm = load.RmsNorm(name + ".input_layernorm", hidden, epsilon);
  block.attention.params = attention;
  block.attention.qkv =
      load.Fused({{self + ".q_proj", queries}, {self + ".k_proj", keys}, {self + ".v_proj", keys}},
                 hidden, Bias::kNo);
  block.attention.head_norms = {
      .query = load.RmsNorm(self + ".q_norm", attention.head_dim, epsilon),
      .key = load.RmsNorm(self + ".k_norm", attention.head_dim, epsilon)};
  block.attention.output = load.DenseNoBias(self + ".o_proj", hidden, queries);
  block.mlp_norm = load.RmsNorm(name + ".post_attention_layernorm", hidden, epsilon);
  block.mlp.gate_up =
      load.Fused({{mlp + ".gate_proj", inner}, {mlp + ".up_proj", inner}}, hidden, Bias::kNo);
  block.mlp.activation = activation;
  block.mlp.down = load.DenseNoBias(mlp + ".down_proj", hidden, inner);
  return block;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Encoder>> LoadQwen3(const hub::ModelFolder& folder, Loader& load) {
  const hub::Config& config = folder.config;
  ASSIGN_OR_RETURN(BlockSizes sizes, ReadBlockSizes(config, "rms_norm_eps", 1e-6F));
  ASSIGN_OR_RETURN(sizes.attention, ReadGroupedAttention(config, sizes.hidden));
  ASSIGN_OR_RETURN(sizes.attention.mask, ReadMask(folder));
  ASSIGN_OR_RETURN(const int64_t layers, config.Int("num_hidden_layers"));
  ASSIGN_OR_RETURN(const int64_t words, config.Int("vocab_size"));
  ASSIGN_OR_RETURN(const double theta, ReadRopeTheta(config, 1e6));
  for (const char* key : {"attention_bias", "use_sliding_window"}) {
    RETURN_IF_ERROR(ExpectFlag(config, key, false));
  }

  load.weights().AcceptPrefixes({"model."});
  load.weights().Skip("lm_head.weight");
  auto qwen = std::make_unique<PreNormEncoder>();
  qwen->words = load.Table("embed_tokens.weight", words, sizes.hidden);
  qwen->longest = folder.max_length;
  const RopeParams rope = MakeRope(theta, folder.max_length, sizes.attention.head_dim, load);
  for (int64_t i = 0; i < layers && load.ok(); ++i) {
    qwen->stack.blocks.push_back(LoadBlock(fmt::format("layers.{}", i), sizes, load));
    qwen->stack.blocks.back().attention.rope = rope;
  }
  qwen->stack.final_norm = load.RmsNorm("norm", sizes.hidden, sizes.epsilon);
  return qwen;
}

}  // namespace rose
