#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "common/status.h"

namespace hub {

/// A reranker made of a language model: its score is a difference of two logits that the language
/// head gives at the last token.
struct LogitScore {
  int32_t true_token_id = 0;
  std::optional<int32_t> false_token_id;  ///< Without it the score is the one logit.
};

/// A LogitScore module's file, `path`/config.json below `folder`.
absl::StatusOr<LogitScore> ReadLogitScore(const std::filesystem::path& folder,
                                          const std::string& path);

/// Without such a module: the ids of "yes" and "no" in vocab.json, or in tokenizer.json's
/// vocabulary. An error names both words.
absl::StatusOr<LogitScore> FindYesAndNo(const std::filesystem::path& folder);

}  // namespace hub
