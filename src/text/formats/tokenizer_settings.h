#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace text {

/// A token that is looked for in the text itself, with its flags as tokenizer.json has them.
struct FileToken {
  std::string content;
  bool special = true;
  bool lstrip = false, rstrip = false, single_word = false, normalized = false;
};

/// tokenizer_config.json, which names the class of a tokenizer and its options.
class TokenizerSettings {
 public:
  /// NotFound if the folder has no such file.
  static absl::StatusOr<TokenizerSettings> Read(const std::filesystem::path& folder);
  /// `json` is an object.
  explicit TokenizerSettings(nlohmann::json json);

  /// tokenizer_class, without "Fast" at its end; empty if there is none.
  std::string class_name() const;
  /// Options that are missing or null have the value `otherwise`.
  absl::StatusOr<bool> Bool(std::string_view key, bool otherwise) const;
  absl::StatusOr<std::optional<bool>> OptionalBool(std::string_view key) const;
  absl::StatusOr<int32_t> Integer(std::string_view key, int32_t otherwise) const;
  /// Nothing if the file says null, or nothing and `otherwise` is empty.
  absl::StatusOr<std::optional<FileToken>> Token(std::string_view key,
                                                 const FileToken& otherwise) const;
  /// additional_special_tokens, as strings or with flags.
  absl::StatusOr<std::vector<FileToken>> AdditionalTokens() const;
  /// added_tokens_decoder: tokens by id, in order.
  absl::StatusOr<std::vector<std::pair<int32_t, FileToken>>> DecoderTokens() const;

 private:
  absl::StatusOr<FileToken> ReadToken(std::string_view key, const nlohmann::json& value,
                                      FileToken otherwise) const;
  const nlohmann::json* Find(std::string_view key) const;

  nlohmann::json json_;
};

}  // namespace text
