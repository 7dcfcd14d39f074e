#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "text/formats/tokenizer_settings.h"

// One function for each class of tokenizers whose pipeline is known: the files of `folder` → a
// document in the form of tokenizer.json, as the class of that name in transformers 5 makes it.

namespace text {

// vocab.txt
absl::StatusOr<nlohmann::json> ReadBertTokenizer(const std::filesystem::path& folder,
                                                 const TokenizerSettings& settings);
absl::StatusOr<nlohmann::json> ReadMpnetTokenizer(const std::filesystem::path& folder,
                                                  const TokenizerSettings& settings);

// A SentencePiece model.
absl::StatusOr<nlohmann::json> ReadXlmRobertaTokenizer(const std::filesystem::path& folder,
                                                       const TokenizerSettings& settings);
absl::StatusOr<nlohmann::json> ReadCamembertTokenizer(const std::filesystem::path& folder,
                                                      const TokenizerSettings& settings);
absl::StatusOr<nlohmann::json> ReadT5Tokenizer(const std::filesystem::path& folder,
                                               const TokenizerSettings& settings);
absl::StatusOr<nlohmann::json> ReadLlamaTokenizer(const std::filesystem::path& folder,
                                                  const TokenizerSettings& settings);
absl::StatusOr<nlohmann::json> ReadGemmaTokenizer(const std::filesystem::path& folder,
                                                  const TokenizerSettings& settings);

// vocab.json and merges.txt
absl::StatusOr<nlohmann::json> ReadGpt2Tokenizer(const std::filesystem::path& folder,
                                                 const TokenizerSettings& settings);
absl::StatusOr<nlohmann::json> ReadRobertaTokenizer(const std::filesystem::path& folder,
                                                    const TokenizerSettings& settings);
absl::StatusOr<nlohmann::json> ReadQwen2Tokenizer(const std::filesystem::path& folder,
                                                  const TokenizerSettings& settings);

}  // namespace text
