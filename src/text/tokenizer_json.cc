#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/json.h"
#include "common/json_view.h"
#include "text/decoders/decoder_types.h"
#include "text/formats/tokenizer_folder.h"
#include "text/models/model_types.h"
#include "text/normalizers/normalizer_types.h"
#include "text/pipeline.h"
#include "text/pre_tokenizers/marked_words.h"
#include "text/pre_tokenizers/pre_tokenizer_types.h"
#include "text/tokenizer.h"

namespace text {
namespace {

/// The part of the document at `key`; T{} if it is null or not there.
template <typename T>
absl::StatusOr<T> ReadOptional(const common::JsonView& document, std::string_view key,
                               absl::StatusOr<T> (*read)(const common::JsonView& json)) {
  if (!document.Has(key)) return T{};
  ASSIGN_OR_RETURN(const common::JsonView json, document.Member(key));
  return read(json);
}

absl::Status CheckVersion(const common::JsonView& document) {
  if (!document.Has("version")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const common::JsonView version, document.Member("version"));
  ASSIGN_OR_RETURN(const std::string_view name, version.AsString());
  return name == "1.0" ? absl::OkStatus() : version.Expected("\"1.0\"");
}

/// Hugging Face gives an added token the id of the vocabulary or the next one behind it, whatever
/// the file says. Where the two differ, the file is not what its maker saw at work.
absl::Status CheckIds(const common::JsonView& document, const std::vector<AddedToken>& tokens,
                      const Vocabulary& vocabulary) {
  ASSIGN_OR_RETURN(const common::JsonView json, document.Member("added_tokens"));
  std::set<std::string_view> contents;
  std::size_t next_id = vocabulary.size(), i = 0;
  return json.ForEachElement([&](const common::JsonView& element) -> absl::Status {
    const AddedToken& token = tokens[i++];
    if (!contents.insert(token.content).second) {
      return element.Error(fmt::format("\"{}\" was added before", token.content));
    }
    const auto known = vocabulary.IdOf(token.content);
    const std::size_t id = known ? static_cast<std::size_t>(*known) : next_id++;
    if (static_cast<std::size_t>(token.id) == id) return absl::OkStatus();
    return element.Error(fmt::format(
        "\"{}\" has id {}, expected {} ({} of {} pieces)", token.content, token.id, id,
        known ? "as in the vocabulary" : "next behind the vocabulary", vocabulary.size()));
  });
}

/// Sets the two kinds of added tokens apart, the normalized ones in normal form.
absl::Status AddTokens(const common::JsonView& document, TokenizerParts& parts) {
  if (!document.Has("added_tokens")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const common::JsonView json, document.Member("added_tokens"));
  ASSIGN_OR_RETURN(std::vector<AddedToken> tokens, ReadAddedTokens(json));
  RETURN_IF_ERROR(CheckIds(document, tokens, parts.model->vocabulary()));
  std::vector<AddedToken> raw, normalized;
  std::set<std::string> normal_forms;
  NormalizerScratch scratch;
  parts.added_tokens = tokens;
  for (AddedToken& token : tokens) {
    parts.ids_end = std::max(parts.ids_end, token.id + 1);
    if (!token.normalized) {
      raw.push_back(std::move(token));
      continue;
    }
    if (parts.normalizer != nullptr) {
      std::string content;
      parts.normalizer->Normalize(token.content, scratch, content);
      if (content.empty() || !normal_forms.insert(content).second) {
        return json.Error(fmt::format("the normal form of \"{}\" is {}", token.content,
                                      content.empty() ? "empty" : "that of another token"));
      }
      token.content = std::move(content);
    }
    normalized.push_back(std::move(token));
  }
  parts.raw_tokens = AddedTokens(std::move(raw));
  parts.normalized_tokens = AddedTokens(std::move(normalized));
  return absl::OkStatus();
}

/// Whether the pre-tokenizer splits at spaces of which the normalizer leaves none, as Gemma's does.
bool SplitsNothing(const nlohmann::json& file) {
  static const nlohmann::json kSplitsAtSpaces = {{"type", "Split"},
                                                 {"pattern", {{"String", " "}}},
                                                 {"behavior", "MergedWithPrevious"},
                                                 {"invert", false}};
  static const nlohmann::json kReplacesSpaces = {
      {"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\u2581"}};
  return file.value("pre_tokenizer", nlohmann::json()) == kSplitsAtSpaces &&
         file.value("normalizer", nlohmann::json()) == kReplacesSpaces;
}

absl::StatusOr<std::unique_ptr<Tokenizer>> ReadTokenizer(const nlohmann::json& json,
                                                         std::string_view name) {
  const common::JsonView document(json, name);
  RETURN_IF_ERROR(
      document.ExpectKeys({"version", "truncation", "padding", "added_tokens", "normalizer",
                           "pre_tokenizer", "post_processor", "decoder", "model"}));
  RETURN_IF_ERROR(CheckVersion(document));
  TokenizerParts parts;
  ASSIGN_OR_RETURN(parts.normalizer, ReadOptional(document, "normalizer", ReadNormalizer));
  ASSIGN_OR_RETURN(parts.pre_tokenizer, ReadOptional(document, "pre_tokenizer", ReadPreTokenizer));
  const PieceForm form = parts.pre_tokenizer == nullptr ? PieceForm() : parts.pre_tokenizer->form();
  ASSIGN_OR_RETURN(const common::JsonView model, document.Member("model"));
  ASSIGN_OR_RETURN(parts.model, ReadModel(model, form));
  if (SplitsNothing(json)) parts.pre_tokenizer = nullptr;
  if (parts.pre_tokenizer == nullptr && parts.model->KeepsApart(MarkedWords::kSpaceMark)) {
    parts.pre_tokenizer = std::make_unique<MarkedWords>(MarkedWords::kSpaceMark);
  }
  ASSIGN_OR_RETURN(parts.decoder, ReadOptional(document, "decoder", ReadDecoder));
  if (document.Has("post_processor")) {
    ASSIGN_OR_RETURN(const common::JsonView post_processor, document.Member("post_processor"));
    ASSIGN_OR_RETURN(parts.post_processor, ReadPostProcessor(post_processor));
  }
  parts.ids_end = std::max(parts.model->vocabulary().ids_end(), parts.post_processor.ids_end());
  RETURN_IF_ERROR(AddTokens(document, parts));
  return std::make_unique<Pipeline>(std::move(parts));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::FromFile(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const nlohmann::json json, common::ReadJsonFile(path));
  return ReadTokenizer(json, path.filename().string());
}

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::FromFolder(
    const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const nlohmann::json json, ReadTokenizerFolder(folder));
  return ReadTokenizer(json, "tokenizer.json");
}

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::FromFileOrFolder(
    const std::filesystem::path& path) {
  std::error_code unknown;  // FromFile says what is wrong.
  return std::filesystem::is_directory(path, unknown) ? FromFolder(path) : FromFile(path);
}

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::FromJson(std::string_view json) {
  constexpr std::string_view kName = "tokenizer.json";
  ASSIGN_OR_RETURN(const nlohmann::json document, common::ParseJson(json, kName));
  return ReadTokenizer(document, kName);
}

}  // namespace text
