#include "rose/heads/decoder_name.h"

#include <spdlog/spdlog.h>

namespace rose {

absl::StatusOr<std::string_view> DecoderName(std::string_view own, std::string_view words,
                                             const hub::Config& config, const Weights& weights) {
  if (weights.Has(own)) return own;
  ASSIGN_OR_RETURN(const bool tied, config.Bool("tie_word_embeddings", true));
  if (!tied) {
    spdlog::warn("{} is not there, though tie_word_embeddings is false; taking {}", own, words);
  }
  return words;
}

}  // namespace rose
