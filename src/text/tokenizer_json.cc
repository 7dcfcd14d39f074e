#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/json.h"
#include "text/bert_normalizer.h"
#include "text/bert_pre_tokenizer.h"
#include "text/json_view.h"
#include "text/pipeline.h"
#include "text/tokenizer.h"
#include "text/word_piece.h"

namespace text {
namespace {

/// What a type of tokenizer.json is called, and who reads it. To add one, write its file and name
/// it in the table of its kind below.
template <typename T>
struct Type {
  std::string_view name;
  absl::StatusOr<T> (*read)(const JsonView& json);
};

constexpr Type<std::unique_ptr<Normalizer>> kNormalizers[] = {
    {"BertNormalizer", BertNormalizer::FromJson},
};
constexpr Type<std::unique_ptr<PreTokenizer>> kPreTokenizers[] = {
    {"BertPreTokenizer", BertPreTokenizer::FromJson},
};
constexpr Type<std::unique_ptr<Model>> kModels[] = {
    {"WordPiece", WordPiece::FromJson},
};
constexpr Type<PostProcessor> kPostProcessors[] = {
    {"BertProcessing", ReadBertProcessing},
    {"RobertaProcessing", ReadRobertaProcessing},
    {"TemplateProcessing", ReadTemplateProcessing},
};

template <typename T>
absl::StatusOr<T> Read(const JsonView& json, std::span<const Type<T>> types) {
  ASSIGN_OR_RETURN(const JsonView type, json.Member("type"));
  ASSIGN_OR_RETURN(const std::string_view name, type.AsString());
  std::vector<std::string_view> known;
  for (const Type<T>& entry : types) {
    if (entry.name == name) return entry.read(json);
    known.push_back(entry.name);
  }
  return type.Error(fmt::format("\"{}\" is not known; known: {}", name, fmt::join(known, ", ")));
}

/// The part of the document at `key`; T{} if it is null or not there.
template <typename T, std::size_t n>
absl::StatusOr<T> ReadOptional(const JsonView& document, std::string_view key,
                               const Type<T> (&types)[n]) {
  if (!document.Has(key)) return T{};
  ASSIGN_OR_RETURN(const JsonView json, document.Member(key));
  return Read<T>(json, types);
}

absl::Status CheckVersion(const JsonView& document) {
  if (!document.Has("version")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const JsonView version, document.Member("version"));
  ASSIGN_OR_RETURN(const std::string_view name, version.AsString());
  return name == "1.0" ? absl::OkStatus() : version.Expected("\"1.0\"");
}

absl::StatusOr<std::unique_ptr<Model>> ReadModel(const JsonView& document) {
  ASSIGN_OR_RETURN(const JsonView json, document.Member("model"));
  // Files of before 2020 do not name the type; this key is WordPiece's alone.
  if (!json.Has("type") && json.Has("max_input_chars_per_word")) return WordPiece::FromJson(json);
  return Read<std::unique_ptr<Model>>(json, kModels);
}

/// Hugging Face gives an added token the id of the vocabulary or the next one behind it, whatever
/// the file says. Where the two differ, the file is not what its maker saw at work.
absl::Status CheckIds(const JsonView& document, const std::vector<AddedToken>& tokens,
                      const Model& model) {
  ASSIGN_OR_RETURN(const JsonView json, document.Member("added_tokens"));
  std::set<std::string_view> contents;
  std::size_t next_id = model.size(), i = 0;
  return json.ForEachElement([&](const JsonView& element) -> absl::Status {
    const AddedToken& token = tokens[i++];
    if (!contents.insert(token.content).second) {
      return element.Error(fmt::format("\"{}\" was added before", token.content));
    }
    const auto known = model.IdOf(token.content);
    const std::size_t id = known ? static_cast<std::size_t>(*known) : next_id++;
    if (static_cast<std::size_t>(token.id) == id) return absl::OkStatus();
    return element.Error(
        fmt::format("\"{}\" has id {}, expected {} ({} of {} pieces)", token.content, token.id, id,
                    known ? "as in the vocabulary" : "next behind the vocabulary", model.size()));
  });
}

/// Sets the two kinds of added tokens apart, the normalized ones in normal form.
absl::Status AddTokens(const JsonView& document, Pipeline::Parts& parts) {
  if (!document.Has("added_tokens")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const JsonView json, document.Member("added_tokens"));
  ASSIGN_OR_RETURN(std::vector<AddedToken> tokens, ReadAddedTokens(json));
  RETURN_IF_ERROR(CheckIds(document, tokens, *parts.model));
  std::vector<AddedToken> raw, normalized;
  std::set<std::string> normal_forms;
  NormalizerScratch scratch;
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

absl::StatusOr<std::unique_ptr<Tokenizer>> ReadTokenizer(const nlohmann::json& json,
                                                         std::string_view name) {
  const JsonView document(json, name);
  RETURN_IF_ERROR(
      document.ExpectKeys({"version", "truncation", "padding", "added_tokens", "normalizer",
                           "pre_tokenizer", "post_processor", "decoder", "model"}));
  RETURN_IF_ERROR(CheckVersion(document));
  Pipeline::Parts parts;
  ASSIGN_OR_RETURN(parts.model, ReadModel(document));
  ASSIGN_OR_RETURN(parts.normalizer, ReadOptional(document, "normalizer", kNormalizers));
  ASSIGN_OR_RETURN(parts.pre_tokenizer, ReadOptional(document, "pre_tokenizer", kPreTokenizers));
  ASSIGN_OR_RETURN(parts.post_processor, ReadOptional(document, "post_processor", kPostProcessors));
  parts.ids_end = std::max(parts.model->ids_end(), parts.post_processor.ids_end());
  RETURN_IF_ERROR(AddTokens(document, parts));
  return std::make_unique<Pipeline>(std::move(parts));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::FromFile(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const nlohmann::json json, common::ReadJsonFile(path));
  return ReadTokenizer(json, path.filename().string());
}

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::FromJson(std::string_view json) {
  constexpr std::string_view kName = "tokenizer.json";
  ASSIGN_OR_RETURN(const nlohmann::json document, common::ParseJson(json, kName));
  return ReadTokenizer(document, kName);
}

}  // namespace text
