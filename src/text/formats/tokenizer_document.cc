#include "text/formats/tokenizer_document.h"

#include <fmt/format.h>

#include <algorithm>

namespace text {
namespace {

// The order in which the library adds special tokens, which gives ids to those that are no pieces.
constexpr std::string_view kRoleOrder[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                           "pad_token", "cls_token", "mask_token"};

nlohmann::json PlacesToJson(std::span<const TokenizerDocument::Place> places) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [what, type_id] : places) {
    const bool is_text = what.starts_with('$');
    list.push_back({{is_text ? "Sequence" : "SpecialToken",
                     {{"id", is_text ? what.substr(1) : what}, {"type_id", type_id}}}});
  }
  return list;
}

}  // namespace

TokenizerDocument::TokenizerDocument(nlohmann::json model, Ids ids)
    : ids_(std::move(ids)), next_id_(static_cast<int32_t>(ids_.size())) {
  json_ = {{"version", "1.0"},         {"truncation", nullptr},
           {"padding", nullptr},       {"normalizer", nullptr},
           {"pre_tokenizer", nullptr}, {"post_processor", nullptr},
           {"decoder", nullptr},       {"added_tokens", nlohmann::json::array()}};
  json_["model"] = std::move(model);
}

void TokenizerDocument::Add(const FileToken& token) {
  const auto [known, is_new] = ids_.emplace(token.content, next_id_);
  next_id_ += is_new ? 1 : 0;
  added_.emplace(known->second, nlohmann::json{{"id", static_cast<uint32_t>(known->second)},
                                               {"content", token.content},
                                               {"single_word", token.single_word},
                                               {"lstrip", token.lstrip},
                                               {"rstrip", token.rstrip},
                                               {"normalized", token.normalized},
                                               {"special", token.special}});
}

absl::Status TokenizerDocument::AddTokens(const TokenizerSettings& settings,
                                          std::span<const SpecialRole> roles,
                                          std::span<const FileToken> others) {
  ASSIGN_OR_RETURN(const auto decoder_tokens, settings.DecoderTokens());
  for (const auto& [id, token] : decoder_tokens) {
    Add(token);
    const int32_t given = ids_.find(token.content)->second;
    if (given == id) continue;
    return absl::InvalidArgumentError(
        fmt::format("tokenizer_config.json: added_tokens_decoder: \"{}\" has id {}, expected {}",
                    token.content, id, given));
  }
  for (const std::string_view key : kRoleOrder) {
    const auto role =
        std::find_if(roles.begin(), roles.end(), [&](const auto& r) { return r.key == key; });
    const FileToken otherwise = role == roles.end() ? FileToken{} : role->otherwise;
    ASSIGN_OR_RETURN(const auto token, settings.Token(key, otherwise));
    if (token) Add(*token);
  }
  for (const FileToken& token : others) Add(token);
  nlohmann::json& list = json_["added_tokens"];
  for (const auto& [id, token] : added_) list.push_back(token);
  return absl::OkStatus();
}

absl::StatusOr<int32_t> TokenizerDocument::IdOf(std::string_view token) const {
  const auto known = ids_.find(token);
  if (known != ids_.end()) return known->second;
  return absl::InvalidArgumentError(
      fmt::format("tokenizer_config.json: the token \"{}\" has no id", token));
}

absl::Status TokenizerDocument::SetTemplate(std::span<const Place> single,
                                            std::span<const Place> pair) {
  nlohmann::json tokens = nlohmann::json::object();
  for (const auto& [what, type_id] : pair) {
    if (what.starts_with('$')) continue;
    ASSIGN_OR_RETURN(const int32_t id, IdOf(what));
    tokens[std::string(what)] = {{"id", what},
                                 {"ids", nlohmann::json::array({static_cast<uint32_t>(id)})},
                                 {"tokens", nlohmann::json::array({what})}};
  }
  json_["post_processor"] = {{"type", "TemplateProcessing"},
                             {"single", PlacesToJson(single)},
                             {"pair", PlacesToJson(pair)},
                             {"special_tokens", std::move(tokens)}};
  return absl::OkStatus();
}

absl::Status TokenizerDocument::SetRobertaProcessing(std::string_view sep, std::string_view cls,
                                                     bool trim_offsets, bool add_prefix_space) {
  ASSIGN_OR_RETURN(const int32_t sep_id, IdOf(sep));
  ASSIGN_OR_RETURN(const int32_t cls_id, IdOf(cls));
  json_["post_processor"] = {{"type", "RobertaProcessing"},
                             {"sep", nlohmann::json::array({sep, static_cast<uint32_t>(sep_id)})},
                             {"cls", nlohmann::json::array({cls, static_cast<uint32_t>(cls_id)})},
                             {"trim_offsets", trim_offsets},
                             {"add_prefix_space", add_prefix_space}};
  return absl::OkStatus();
}

absl::Status TokenizerDocument::SetBosEosTemplate(const TokenizerSettings& settings,
                                                  const std::optional<FileToken>& bos,
                                                  const std::optional<FileToken>& eos) {
  ASSIGN_OR_RETURN(bool add_bos, settings.Bool("add_bos_token", false));
  ASSIGN_OR_RETURN(bool add_eos, settings.Bool("add_eos_token", false));
  add_bos = add_bos && bos;
  add_eos = add_eos && eos;
  std::vector<Place> pair;
  const auto append = [&](std::string_view text, int type_id) {
    if (add_bos) pair.push_back({bos->content, type_id});
    pair.push_back({text, type_id});
    if (add_eos) pair.push_back({eos->content, type_id});
  };
  append("$A", 0);
  const std::vector<Place> single = pair;
  append("$B", 1);
  return SetTemplate(single, pair);
}

}  // namespace text
