// MPNet (Song et al., 2020): BERT without token types, with a bias for the distance of two tokens
// that all blocks share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "rose/layers/mlp.h"
#include "rose/loading/block_sizes.h"
#include "rose/loading/config_keys.h"
#include "rose/models/families.h"
#include "rose/models/post_norm_encoder.h"

namespace rose {
namespace {

/// Row of a sequence's first token in the table of positions, whatever pad_token_id says.
constexpr int64_t kFirstPosition = 2;

/// Rows of the bias that distances take, however many there are.
constexpr int64_t kBuckets = 32;

/// Which row of the bias a distance (key − query) takes, as in T5 (Raffel et al., 2019): half of
/// them for each direction, of those half for one distance each and the others for ranges that grow
/// up to 128.
int64_t BucketOf(int64_t distance) {
  constexpr float kDistanceMax = 128;
  constexpr int64_t half = kBuckets / 2, exact = half / 2;
  const int64_t first = distance > 0 ? half : 0;
  const int64_t size = std::abs(distance);
  if (size < exact) return first + size;
  // In float32, as the reference rounds.
  const float ratio =
      std::log(static_cast<float>(size) / static_cast<float>(exact)) /
      static_cast<float>(std::log(static_cast<double>(kDistanceMax) / static_cast<double>(exact)));
  const auto steps = static_cast<int64_t>(ratio * static_cast<float>(half - exact));
  return first + std::min(exact + steps, half - 1);
}

/// AttentionParams::position_bias for `positions` tokens.
Tensor LoadPositionBias(int64_t buckets, int64_t heads, int64_t positions, Loader& load) {
  const std::vector<float> rows =
      load.Values("encoder.relative_attention_bias.weight", buckets, heads);
  if (!load.ok()) return {};
  const int64_t width = 2 * positions - 1;
  std::vector<float> bias(static_cast<std::size_t>(heads * width));
  for (int64_t column = 0; column < width; ++column) {
    const int64_t row = BucketOf(column - (positions - 1));
    for (int64_t head = 0; head < heads; ++head) {
      bias[static_cast<std::size_t>(head * width + column)] =
          rows[static_cast<std::size_t>(row * heads + head)];
    }
  }
  return load.backend().MakeTable(MemoryRows(bias, heads, width), DType::kFloat32);
}

PostNormBlock<Mlp> LoadBlock(const std::string& name, const BlockSizes& sizes, Loader& load) {
  const auto [hidden, inner, epsilon, activation, attention] = sizes;
  const std::string self = name + ".attention.attn";
  PostNormBlock<Mlp> block;
  block.attention.params = attention;
  block.attention.qkv = load.Fused(
      {{self + ".q", hidden}, {self + ".k", hidden}, {self + ".v", hidden}}, hidden, Bias::kYes);
  block.attention.output = load.Dense(self + ".o", hidden, hidden);
  block.attention_norm = load.LayerNorm(name + ".attention.LayerNorm", hidden, epsilon);
  block.mlp.up = load.Dense(name + ".intermediate.dense", inner, hidden);
  block.mlp.activation = activation;
  block.mlp.down = load.Dense(name + ".output.dense", hidden, inner);
  block.mlp_norm = load.LayerNorm(name + ".output.LayerNorm", hidden, epsilon);
  return block;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Encoder>> LoadMpnet(const hub::ModelFolder& folder, Loader& load) {
  const hub::Config& config = folder.config;
  ASSIGN_OR_RETURN(BlockSizes sizes, ReadBlockSizes(config, "layer_norm_eps", 1e-12F));
  ASSIGN_OR_RETURN(sizes.attention, ReadAttention(config, sizes.hidden));
  ASSIGN_OR_RETURN(const int64_t layers, config.Int("num_hidden_layers"));
  ASSIGN_OR_RETURN(const int64_t words, config.Int("vocab_size"));
  ASSIGN_OR_RETURN(const int64_t positions, config.Int("max_position_embeddings"));
  ASSIGN_OR_RETURN(const int64_t buckets, config.Int("relative_attention_num_buckets", kBuckets));
  if (buckets < kBuckets) {
    return config.Error("relative_attention_num_buckets",
                        fmt::format("expected at least {}, got {}", kBuckets, buckets));
  }
  if (positions <= kFirstPosition) {
    return config.Error("max_position_embeddings",
                        fmt::format("expected more than {}, got {}", kFirstPosition, positions));
  }

  load.weights().AcceptPrefixes({"mpnet."});
  for (const char* unused : {"embeddings.position_ids", "pooler.*", "lm_head.*"}) {
    load.weights().Skip(unused);
  }
  auto mpnet = std::make_unique<PostNormEncoder<Mlp>>();
  mpnet->words = load.Table("embeddings.word_embeddings.weight", words, sizes.hidden);
  mpnet->positions =
      load.Table("embeddings.position_embeddings.weight", positions, sizes.hidden, kFirstPosition);
  mpnet->longest = positions - kFirstPosition;
  mpnet->norm = load.LayerNorm("embeddings.LayerNorm", sizes.hidden, sizes.epsilon);
  sizes.attention.position_bias =
      LoadPositionBias(buckets, sizes.attention.heads, mpnet->longest, load);
  for (int64_t i = 0; i < layers && load.ok(); ++i) {
    mpnet->blocks.push_back(LoadBlock(fmt::format("encoder.layer.{}", i), sizes, load));
  }
  return mpnet;
}

}  // namespace rose
