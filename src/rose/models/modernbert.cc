// ModernBERT (Warner et al., 2024): pre-norm blocks without biases, of which some (every third, as
// published) see the whole sequence and the others a window, with a rotary base of their own.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "rose/loading/config_keys.h"
#include "rose/loading/rope.h"
#include "rose/models/families.h"
#include "rose/models/pre_norm_encoder.h"

namespace rose {
namespace {

constexpr char kGlobal[] = "full_attention", kLocal[] = "sliding_attention";

struct Thetas {
  double global = 0;
  double local = 0;
};

/// Two keys of their own, or, since transformers 5, one object for each kind of layer.
absl::StatusOr<Thetas> ReadThetas(const hub::Config& config) {
  Thetas thetas;
  ASSIGN_OR_RETURN(thetas.global, ReadTheta(config, "global_rope_theta", 160000.0));
  ASSIGN_OR_RETURN(thetas.local, ReadTheta(config, "local_rope_theta", 10000.0));
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    RETURN_IF_ERROR(ReadRopeObject(config, key, thetas.global).status());  // Not scaled.
  }
  if (!config.Has("rope_parameters")) return thetas;
  ASSIGN_OR_RETURN(const hub::Config kinds, config.Object("rope_parameters"));
  ASSIGN_OR_RETURN(thetas.global, ReadRopeObject(kinds, kGlobal, thetas.global));
  ASSIGN_OR_RETURN(thetas.local, ReadRopeObject(kinds, kLocal, thetas.local));
  return thetas;
}

/// What each layer sees: as layer_types says or, in files older than transformers 5, the whole
/// sequence every so many.
absl::StatusOr<std::vector<std::string>> ReadLayerTypes(const hub::Config& config) {
  ASSIGN_OR_RETURN(const int64_t layers, config.Int("num_hidden_layers"));
  ASSIGN_OR_RETURN(const int64_t stride, config.Int("global_attn_every_n_layers", 3));
  ASSIGN_OR_RETURN(std::vector<std::string> types, config.Strings("layer_types"));
  if (stride < 1) return config.Error("global_attn_every_n_layers", "expected at least 1, got 0");
  const int64_t untold = config.Has("layer_types") ? 0 : layers;
  for (int64_t i = 0; i < untold; ++i) types.emplace_back(i % stride == 0 ? kGlobal : kLocal);
  const auto known = [](const std::string& type) { return type == kGlobal || type == kLocal; };
  if (std::ssize(types) == layers && std::all_of(types.begin(), types.end(), known)) return types;
  return config.Error("layer_types", fmt::format("expected {} or {} for each of {} layers", kGlobal,
                                                 kLocal, layers));
}

/// `first`: its input is normed already, by the embeddings' norm.
PreNormBlock LoadBlock(const std::string& name, bool first, int64_t hidden, int64_t inner,
                       float epsilon, Loader& load) {
  PreNormBlock block;
  if (!first) block.attention_norm = load.LayerNormNoBias(name + ".attn_norm", hidden, epsilon);
  block.attention.qkv = load.DenseNoBias(name + ".attn.Wqkv", 3 * hidden, hidden);
  block.attention.output = load.DenseNoBias(name + ".attn.Wo", hidden, hidden);
  block.mlp_norm = load.LayerNormNoBias(name + ".mlp_norm", hidden, epsilon);
  block.mlp.gate_up = load.DenseNoBias(name + ".mlp.Wi", 2 * inner, hidden);
  block.mlp.down = load.DenseNoBias(name + ".mlp.Wo", hidden, inner);
  return block;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Encoder>> LoadModernBert(const hub::ModelFolder& folder,
                                                        Loader& load) {
  const hub::Config& config = folder.config;
  ASSIGN_OR_RETURN(const int64_t hidden, config.Int("hidden_size"));
  ASSIGN_OR_RETURN(const int64_t inner, config.Int("intermediate_size"));
  ASSIGN_OR_RETURN(const int64_t words, config.Int("vocab_size"));
  ASSIGN_OR_RETURN(const float epsilon, ReadEpsilon(config, "norm_eps", 1e-5F));
  ASSIGN_OR_RETURN(const std::vector<std::string> types, ReadLayerTypes(config));
  ASSIGN_OR_RETURN(const int64_t window, config.Int("local_attention", 128));
  ASSIGN_OR_RETURN(const AttentionParams attention, ReadAttention(config, hidden));
  ASSIGN_OR_RETURN(const Activation activation, ReadActivation(config, "hidden_activation"));
  ASSIGN_OR_RETURN(const Thetas thetas, ReadThetas(config));
  for (const char* key : {"attention_bias", "mlp_bias", "norm_bias"}) {
    RETURN_IF_ERROR(ExpectFlag(config, key, false));
  }
  if (window < 2) return config.Error("local_attention", "expected at least 2");

  load.weights().AcceptPrefixes({"model."});
  for (const char* unused : {"head.*", "decoder.*"}) load.weights().Skip(unused);
  auto bert = std::make_unique<PreNormEncoder>();
  bert->words = load.Table("embeddings.tok_embeddings.weight", words, hidden);
  bert->embedding_norm = load.LayerNormNoBias("embeddings.norm", hidden, epsilon);
  bert->longest = folder.max_length;
  const RopeParams global = MakeRope(thetas.global, folder.max_length, attention.head_dim, load);
  const RopeParams local = MakeRope(thetas.local, folder.max_length, attention.head_dim, load);
  for (std::size_t i = 0; i < types.size() && load.ok(); ++i) {
    const bool is_global = types[i] == kGlobal;
    PreNormBlock& block = bert->stack.blocks.emplace_back(
        LoadBlock(fmt::format("layers.{}", i), i == 0, hidden, inner, epsilon, load));
    block.attention.params = attention;
    block.attention.params.window = is_global ? 0 : static_cast<int>(window / 2);
    block.attention.rope = is_global ? global : local;
    block.mlp.activation = activation;
  }
  bert->stack.final_norm = load.LayerNormNoBias("final_norm", hidden, epsilon);
  return bert;
}

}  // namespace rose
