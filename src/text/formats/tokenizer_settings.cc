#include "text/formats/tokenizer_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "common/json.h"
#include "common/json_view.h"

namespace text {
namespace {

constexpr std::string_view kFile = "tokenizer_config.json";
constexpr int32_t kIdLast = std::numeric_limits<int32_t>::max() - 1;

absl::Status Expected(std::string_view key, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("{}: {}: expected {}", kFile, key, what));
}

}  // namespace

TokenizerSettings::TokenizerSettings(nlohmann::json json) : json_(std::move(json)) {}

absl::StatusOr<TokenizerSettings> TokenizerSettings::Read(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(nlohmann::json json, common::ReadJsonFile(folder / kFile));
  if (!json.is_object()) return common::JsonView(json, kFile).Expected("an object");
  return TokenizerSettings(std::move(json));
}

const nlohmann::json* TokenizerSettings::Find(std::string_view key) const {
  const auto member = json_.find(key);
  return member == json_.end() ? nullptr : &*member;
}

std::string TokenizerSettings::class_name() const {
  const nlohmann::json* value = Find("tokenizer_class");
  if (value == nullptr || !value->is_string()) return "";
  auto name = value->get<std::string>();
  if (name.ends_with("Fast")) name.resize(name.size() - std::string_view("Fast").size());
  return name;
}

absl::StatusOr<std::optional<bool>> TokenizerSettings::OptionalBool(std::string_view key) const {
  const nlohmann::json* value = Find(key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (!value->is_boolean()) return Expected(key, "true or false");
  return value->get<bool>();
}

absl::StatusOr<bool> TokenizerSettings::Bool(std::string_view key, bool otherwise) const {
  ASSIGN_OR_RETURN(const std::optional<bool> value, OptionalBool(key));
  return value.value_or(otherwise);
}

absl::StatusOr<int32_t> TokenizerSettings::Integer(std::string_view key, int32_t otherwise) const {
  const nlohmann::json* value = Find(key);
  if (value == nullptr || value->is_null()) return otherwise;
  ASSIGN_OR_RETURN(const common::JsonView member, common::JsonView(json_, kFile).Member(key));
  return member.AsInteger(kIdLast);
}

absl::StatusOr<FileToken> TokenizerSettings::ReadToken(std::string_view key,
                                                       const nlohmann::json& value,
                                                       FileToken otherwise) const {
  if (value.is_string()) {
    otherwise.content = value.get<std::string>();
    return otherwise;
  }
  const auto content = value.is_object() ? value.find("content") : value.end();
  if (!value.is_object() || content == value.end() || !content->is_string()) {
    return Expected(key, "a token, or an object with its \"content\"");
  }
  FileToken token{.content = content->get<std::string>()};
  const std::pair<const char*, bool*> flags[] = {{"special", &token.special},
                                                 {"lstrip", &token.lstrip},
                                                 {"rstrip", &token.rstrip},
                                                 {"single_word", &token.single_word},
                                                 {"normalized", &token.normalized}};
  for (const auto& [name, flag] : flags) {
    const auto member = value.find(name);
    if (member == value.end()) continue;
    if (!member->is_boolean()) return Expected(key, fmt::format("{} to be true or false", name));
    *flag = member->get<bool>();
  }
  return token;
}

absl::StatusOr<std::optional<FileToken>> TokenizerSettings::Token(
    std::string_view key, const FileToken& otherwise) const {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) {
    return otherwise.content.empty() ? std::nullopt : std::optional(otherwise);
  }
  if (value->is_null()) return std::nullopt;
  return ReadToken(key, *value, otherwise);
}

absl::StatusOr<std::vector<FileToken>> TokenizerSettings::AdditionalTokens() const {
  constexpr std::string_view kKey = "additional_special_tokens";
  std::vector<FileToken> tokens;
  const nlohmann::json* value = Find(kKey);
  if (value == nullptr || value->is_null()) return tokens;
  if (!value->is_array()) return Expected(kKey, "a list");
  for (const nlohmann::json& element : *value) {
    ASSIGN_OR_RETURN(FileToken token, ReadToken(kKey, element, {}));
    token.special = true;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

absl::StatusOr<std::vector<std::pair<int32_t, FileToken>>> TokenizerSettings::DecoderTokens()
    const {
  constexpr std::string_view kKey = "added_tokens_decoder";
  std::vector<std::pair<int32_t, FileToken>> tokens;
  const nlohmann::json* value = Find(kKey);
  if (value == nullptr || value->is_null()) return tokens;
  if (!value->is_object()) return Expected(kKey, "an object");
  for (const auto& [name, element] : value->items()) {
    int32_t id = -1;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), id);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size() || id < 0) {
      return Expected(kKey, fmt::format("an id, got \"{}\"", name));
    }
    ASSIGN_OR_RETURN(FileToken token, ReadToken(kKey, element, {}));
    tokens.emplace_back(id, std::move(token));
  }
  std::sort(tokens.begin(), tokens.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return tokens;
}

}  // namespace text
