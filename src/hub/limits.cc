#include "hub/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "hub/file_names.h"
#include "hub/read_config.h"

namespace hub {
namespace {

// Families whose first token stands at position pad_token_id + 1 of the table, if they have one.
constexpr std::array<std::string_view, 4> kOffsetFamilies = {"roberta", "xlm-roberta", "camembert",
                                                             "mpnet"};

// n_positions first: Nomic's max_position_embeddings is what it was trained on, not what it takes.
constexpr std::array<std::string_view, 3> kPositionKeys = {"n_positions", "max_position_embeddings",
                                                           "max_trained_positions"};

std::string Source(const Config& config, std::string_view key) {
  return fmt::format("{}: {}", config.file_name(), key);
}

/// What the positions allow; nothing if config.json gives no number.
absl::StatusOr<std::optional<LengthLimit>> ReadPositions(const Config& root) {
  Config config = root;
  if (root.Has("text_config")) {
    ASSIGN_OR_RETURN(config, root.Object("text_config"));
  }
  const auto key = std::find_if(kPositionKeys.begin(), kPositionKeys.end(),
                                [&](std::string_view name) { return config.Has(name); });
  if (key == kPositionKeys.end()) return std::nullopt;
  ASSIGN_OR_RETURN(int64_t positions, config.Int(*key));
  ASSIGN_OR_RETURN(const std::string model_type, config.String("model_type", ""));
  ASSIGN_OR_RETURN(const std::string kind, config.String("position_embedding_type", "absolute"));
  const bool is_offset = std::find(kOffsetFamilies.begin(), kOffsetFamilies.end(), model_type) !=
                         kOffsetFamilies.end();
  if (is_offset && kind != "rotary") {
    // MPNet's begin behind token 1 whatever its pad token is.
    constexpr int64_t kUsualPad = 1;
    ASSIGN_OR_RETURN(int64_t pad_token_id, config.Int("pad_token_id", kUsualPad));
    if (model_type == "mpnet") pad_token_id = kUsualPad;
    positions -= pad_token_id + 1;
    if (positions < 1) {
      return config.Error(*key, fmt::format("expected more than the {} positions that pad_token_id "
                                            "{} takes",
                                            pad_token_id + 1, pad_token_id));
    }
  }
  return LengthLimit{.tokens = static_cast<int>(positions), .source = Source(config, *key)};
}

/// Writers that mean "no limit" put 1e30, hence a number of any size.
absl::StatusOr<std::optional<LengthLimit>> ReadTokenizerLimit(const std::filesystem::path& folder) {
  constexpr std::string_view kKey = "model_max_length";
  ASSIGN_OR_RETURN(const std::optional<Config> config,
                   ReadConfigIfThere(folder, "tokenizer_config.json"));
  if (!config || !config->Has(kKey)) return std::nullopt;
  ASSIGN_OR_RETURN(const double tokens, config->Float(kKey));
  if (tokens < 1) return config->Error(kKey, fmt::format("expected at least 1, got {}", tokens));
  if (tokens > std::numeric_limits<int>::max()) return std::nullopt;
  return LengthLimit{.tokens = static_cast<int>(tokens), .source = Source(*config, kKey)};
}

absl::StatusOr<std::optional<LengthLimit>> ReadFilesLimit(
    const std::filesystem::path& folder, const std::optional<Config>& sentence_bert) {
  constexpr std::string_view kKey = "max_seq_length";
  if (!sentence_bert || !sentence_bert->Has(kKey)) return ReadTokenizerLimit(folder);
  ASSIGN_OR_RETURN(const int64_t tokens, sentence_bert->Int(kKey));
  return LengthLimit{.tokens = static_cast<int>(tokens), .source = Source(*sentence_bert, kKey)};
}

absl::StatusOr<LengthLimit> CheckFlag(int tokens, const std::optional<LengthLimit>& positions) {
  if (tokens < 1) {
    return absl::InvalidArgumentError(
        fmt::format("--max-length: expected at least 1, got {}", tokens));
  }
  if (positions && tokens > positions->tokens) {
    return absl::InvalidArgumentError(fmt::format("--max-length: expected at most {} ({}), got {}",
                                                  positions->tokens, positions->source, tokens));
  }
  return LengthLimit{.tokens = tokens, .source = "--max-length"};
}

}  // namespace

absl::StatusOr<std::optional<Config>> ReadSentenceBertConfig(const std::filesystem::path& folder) {
  for (const std::string_view name : kSentenceBertFiles) {
    ASSIGN_OR_RETURN(std::optional<Config> config, ReadConfigIfThere(folder, name));
    if (config) return config;
  }
  return std::nullopt;
}

absl::StatusOr<LengthLimit> ReadLengthLimit(const std::filesystem::path& folder,
                                            const Config& config,
                                            const std::optional<Config>& sentence_bert,
                                            std::optional<int> flag) {
  ASSIGN_OR_RETURN(const std::optional<LengthLimit> positions, ReadPositions(config));
  if (flag) return CheckFlag(*flag, positions);
  ASSIGN_OR_RETURN(const std::optional<LengthLimit> files, ReadFilesLimit(folder, sentence_bert));
  if (!positions && !files) {
    return config.Error("max_position_embeddings",
                        "missing, and no other file limits the length; --max-length sets one");
  }
  if (!positions) return *files;
  return files && files->tokens <= positions->tokens ? *files : *positions;
}

}  // namespace hub
