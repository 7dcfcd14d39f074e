#include "hub/logit_score.h"

#include <fmt/format.h>

#include <string_view>

#include "hub/config.h"
#include "hub/read_config.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<LogitScore> YesAndNo(const Config& vocabulary) {
  for (const std::string_view word : {"yes", "no"}) {
    if (vocabulary.Has(word)) continue;
    return vocabulary.Error(
        word,
        "missing; the score needs the token ids of \"yes\" and \"no\", or a LogitScore module "
        "that gives others");
  }
  LogitScore score;
  ASSIGN_OR_RETURN(const int64_t yes, vocabulary.Int("yes", 0));
  ASSIGN_OR_RETURN(const int64_t no, vocabulary.Int("no", 0));
  score.true_token_id = static_cast<int32_t>(yes);
  score.false_token_id = static_cast<int32_t>(no);
  return score;
}

}  // namespace

absl::StatusOr<LogitScore> ReadLogitScore(const fs::path& folder, const std::string& path) {
  constexpr std::string_view kTrue = "true_token_id";
  constexpr std::string_view kFalse = "false_token_id";
  ASSIGN_OR_RETURN(const Config config, ReadConfig(folder, path + "/config.json"));
  if (!config.Has(kTrue)) return config.Error(kTrue, "missing, expected a token id");
  LogitScore score;
  ASSIGN_OR_RETURN(const int64_t true_token_id, config.Int(kTrue, 0));
  score.true_token_id = static_cast<int32_t>(true_token_id);
  if (!config.Has(kFalse)) return score;
  ASSIGN_OR_RETURN(const int64_t false_token_id, config.Int(kFalse, 0));
  score.false_token_id = static_cast<int32_t>(false_token_id);
  return score;
}

absl::StatusOr<LogitScore> FindYesAndNo(const fs::path& folder) {
  ASSIGN_OR_RETURN(const std::optional<Config> vocabulary, ReadConfigIfThere(folder, "vocab.json"));
  if (vocabulary) return YesAndNo(*vocabulary);
  ASSIGN_OR_RETURN(const std::optional<Config> tokenizer,
                   ReadConfigIfThere(folder, "tokenizer.json"));
  if (!tokenizer) {
    return absl::NotFoundError(
        "vocab.json, tokenizer.json: file not found; the score needs the token ids of \"yes\" and "
        "\"no\"");
  }
  ASSIGN_OR_RETURN(const Config model, tokenizer->Object("model"));
  ASSIGN_OR_RETURN(const Config whole, model.Object("vocab"));
  return YesAndNo(whole);
}

}  // namespace hub
