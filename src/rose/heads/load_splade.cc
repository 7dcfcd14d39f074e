#include "rose/heads/load_splade.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "rose/heads/decoder_name.h"
#include "rose/heads/splade_head.h"
#include "rose/loading/config_keys.h"

namespace rose {
namespace {

constexpr char kWords[] = "embeddings.word_embeddings.weight";

/// What a family calls the parts.
struct Names {
  std::string_view model_type;
  const char* transform;
  const char* norm;
  const char* decoder;  ///< Where a checkpoint has none, it is tied to the words.
  const char* decoder_bias;
  const char* bias;  ///< The decoder's, where it has none under its own name: they are tied.
  const char*
      activation;  ///< The key of config.json; null: the erf form of GELU, whatever it says.
};

/// RoBERTa's names, which its kin share.
constexpr Names LmHead(std::string_view model_type) {
  return {model_type,
          "lm_head.dense",
          "lm_head.layer_norm",
          "lm_head.decoder.weight",
          "lm_head.decoder.bias",
          "lm_head.bias",
          nullptr};
}

constexpr Names kFamilies[] = {
    {"bert", "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
     "cls.predictions.decoder.weight", "cls.predictions.decoder.bias", "cls.predictions.bias",
     "hidden_act"},
    LmHead("camembert"),
    {"distilbert", "vocab_transform", "vocab_layer_norm", "vocab_projector.weight",
     "vocab_projector.bias", "vocab_projector.bias", "activation"},
    LmHead("mpnet"),
    LmHead("roberta"),
    LmHead("xlm-roberta"),
};

}  // namespace

absl::StatusOr<std::unique_ptr<Head>> LoadSplade(const hub::ModelFolder& folder,
                                                 int64_t hidden_size, Loader& load) {
  const hub::Config& config = folder.config;
  const auto* const names =
      std::find_if(std::begin(kFamilies), std::end(kFamilies),
                   [&](const Names& family) { return family.model_type == folder.model_type; });
  if (names == std::end(kFamilies)) {
    return config.Error("model_type", fmt::format("SPLADE of {} is not served", folder.model_type));
  }
  ASSIGN_OR_RETURN(const int64_t words, config.Int("vocab_size"));
  ASSIGN_OR_RETURN(const float epsilon, ReadEpsilon(config, "layer_norm_eps", 1e-12F));
  auto head = std::make_unique<SpladeHead>();
  head->splade = *folder.splade;
  if (names->activation != nullptr) {
    ASSIGN_OR_RETURN(head->activation, ReadActivation(config, names->activation));
  }
  head->transform = load.Dense(names->transform, hidden_size, hidden_size);
  head->norm = load.LayerNorm(names->norm, hidden_size, epsilon);
  ASSIGN_OR_RETURN(const std::string_view matrix,
                   DecoderName(names->decoder, kWords, config, load.weights()));
  const char* bias = load.weights().Has(names->decoder_bias) ? names->decoder_bias : names->bias;
  head->decoder = load.Tied(matrix, bias, words, hidden_size);
  return head;
}

}  // namespace rose
