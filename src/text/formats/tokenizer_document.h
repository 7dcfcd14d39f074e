#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/formats/tokenizer_settings.h"

namespace text {

/// A special token that a class of tokenizers has: its key in tokenizer_config.json, and what it is
/// where that does not say.
struct SpecialRole {
  std::string_view key;
  FileToken otherwise;
};

/// A document in the form of tokenizer.json while it is put together from other files.
class TokenizerDocument {
 public:
  using Ids = std::map<std::string, int32_t, std::less<>>;

  /// `ids`: those of the pieces of `model`.
  TokenizerDocument(nlohmann::json model, Ids ids);

  /// Adds the tokens of added_tokens_decoder, those of `roles`, then `others`. A token that is no
  /// piece gets the next id behind them.
  absl::Status AddTokens(const TokenizerSettings& settings, std::span<const SpecialRole> roles,
                         std::span<const FileToken> others);

  /// The id of a piece or an added token. Error: there is none.
  absl::StatusOr<int32_t> IdOf(std::string_view token) const;

  /// A place of a template: "$A", "$B" or a special token, and its type id.
  struct Place {
    std::string_view what;
    int type_id = 0;
  };
  absl::Status SetTemplate(std::span<const Place> single, std::span<const Place> pair);
  absl::Status SetRobertaProcessing(std::string_view sep, std::string_view cls, bool trim_offsets,
                                    bool add_prefix_space);
  /// The template of classes that do not set one: with bos_token and eos_token around a text where
  /// add_bos_token and add_eos_token ask for them. `bos` and `eos`: nothing if there is none.
  absl::Status SetBosEosTemplate(const TokenizerSettings& settings,
                                 const std::optional<FileToken>& bos,
                                 const std::optional<FileToken>& eos);

  void Set(std::string_view key, nlohmann::json value) {
    json_[std::string(key)] = std::move(value);
  }

  nlohmann::json Take() { return std::move(json_); }

 private:
  void Add(const FileToken& token);

  nlohmann::json json_;
  Ids ids_;
  int32_t next_id_;
  std::map<int32_t, nlohmann::json> added_;
};

}  // namespace text
