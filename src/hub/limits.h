#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/status.h"
#include "hub/config.h"

namespace hub {

/// The most tokens of one input, special tokens included, and where the number stands.
struct LengthLimit {
  int tokens = 0;
  std::string source;  ///< "sentence_bert_config.json: max_seq_length"
};

/// sentence_bert_config.json, or the older name that the folder has: max_seq_length and
/// do_lower_case.
absl::StatusOr<std::optional<Config>> ReadSentenceBertConfig(const std::filesystem::path& folder);

/// `flag` if given (--max-length), else max_seq_length of `sentence_bert`, else model_max_length of
/// tokenizer_config.json; never more than the positions that config.json gives, which for RoBERTa
/// and its kin start behind pad_token_id. A flag above the positions is an error; so is a folder
/// that gives no number at all.
absl::StatusOr<LengthLimit> ReadLengthLimit(const std::filesystem::path& folder,
                                            const Config& config,
                                            const std::optional<Config>& sentence_bert,
                                            std::optional<int> flag);

}  // namespace hub
