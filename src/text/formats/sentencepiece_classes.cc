#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "common/file.h"
#include "text/formats/sentencepiece_model.h"
#include "text/formats/tokenizer_classes.h"
#include "text/formats/tokenizer_document.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

using Kind = SentencePieceModel::Kind;
using PieceKind = SentencePieceModel::PieceKind;

constexpr std::string_view kSpace = "\u2581";

absl::StatusOr<SentencePieceModel> ReadModel(const std::filesystem::path& folder,
                                             std::string_view name, Kind kind) {
  ASSIGN_OR_RETURN(const std::string bytes, common::ReadFile(folder / name));
  ASSIGN_OR_RETURN(SentencePieceModel model, SentencePieceModel::Parse(bytes, name));
  if (model.kind != kind) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected a model of type {}, got type {} of sentencepiece_model.proto",
                    name, static_cast<int>(kind), static_cast<int>(model.kind)));
  }
  return model;
}

/// The pieces that stand for something else than text, which are looked for as added tokens.
std::vector<FileToken> AddedPieces(const SentencePieceModel& model) {
  std::vector<FileToken> tokens;
  for (const SentencePieceModel::Piece& piece : model.pieces) {
    if (piece.kind != PieceKind::kControl && piece.kind != PieceKind::kUserDefined) continue;
    tokens.push_back({.content = piece.text, .special = piece.kind == PieceKind::kControl});
  }
  return tokens;
}

/// The tokens of a class by role, as the settings have them.
class Roles {
 public:
  static absl::StatusOr<Roles> Read(const TokenizerSettings& settings,
                                    std::vector<SpecialRole> roles) {
    std::map<std::string_view, std::optional<FileToken>> tokens;
    for (const SpecialRole& role : roles) {
      ASSIGN_OR_RETURN(tokens[role.key], settings.Token(role.key, role.otherwise));
    }
    return Roles(std::move(roles), std::move(tokens));
  }

  std::span<const SpecialRole> all() const { return roles_; }
  /// The token of a role; nothing if the settings say that there is none.
  const std::optional<FileToken>& operator[](std::string_view key) const {
    return tokens_.find(key)->second;
  }
  /// As text; where there is none what the class has.
  std::string Content(std::string_view key) const {
    const auto& token = (*this)[key];
    if (token) return token->content;
    for (const SpecialRole& role : roles_) {
      if (role.key == key) return role.otherwise.content;
    }
    return "";
  }

 private:
  Roles(std::vector<SpecialRole> roles, std::map<std::string_view, std::optional<FileToken>> tokens)
      : roles_(std::move(roles)), tokens_(std::move(tokens)) {}

  std::vector<SpecialRole> roles_;
  std::map<std::string_view, std::optional<FileToken>> tokens_;
};

/// Pieces and scores of a Unigram model in the order of their ids.
class UnigramPieces {
 public:
  void Add(std::string piece, double score) {
    ids_.emplace(piece, static_cast<int32_t>(vocab_.size()));
    vocab_.push_back(nlohmann::json::array({std::move(piece), score}));
  }
  void AddFrom(const SentencePieceModel& model, std::size_t first) {
    for (std::size_t i = first; i < model.pieces.size(); ++i) {
      Add(model.pieces[i].text, double{model.pieces[i].score});
    }
  }

  TokenizerDocument MakeDocument(int32_t unknown_id) && {
    return TokenizerDocument({{"type", "Unigram"},
                              {"unk_id", static_cast<uint32_t>(unknown_id)},
                              {"vocab", std::move(vocab_)},
                              {"byte_fallback", false}},
                             std::move(ids_));
  }

 private:
  nlohmann::json vocab_ = nlohmann::json::array();
  TokenizerDocument::Ids ids_;
};

/// Precompiled, words at white space with U+2581 before each: what all Unigram classes share.
void SetUnigramSteps(const SentencePieceModel& model, bool prefix_space,
                     TokenizerDocument& document) {
  const nlohmann::json metaspace = {{"type", "Metaspace"},
                                    {"replacement", kSpace},
                                    {"prepend_scheme", prefix_space ? "always" : "never"},
                                    {"split", true}};
  if (!model.charsmap.empty()) {
    document.Set("normalizer", {{"type", "Precompiled"},
                                {"precompiled_charsmap", absl::Base64Escape(model.charsmap)}});
  }
  document.Set(
      "pre_tokenizer",
      {{"type", "Sequence"},
       {"pretokenizers", nlohmann::json::array({{{"type", "WhitespaceSplit"}}, metaspace})}});
  document.Set("decoder", metaspace);
}

std::vector<SpecialRole> RobertaRoles(bool mask_strips) {
  FileToken mask{"<mask>"};
  mask.lstrip = mask_strips;
  return {{"bos_token", {"<s>"}}, {"eos_token", {"</s>"}},  {"sep_token", {"</s>"}},
          {"cls_token", {"<s>"}}, {"unk_token", {"<unk>"}}, {"pad_token", {"<pad>"}},
          {"mask_token", mask}};
}

/// <s> A </s>, <s> A </s> </s> B </s>.
absl::Status SetRobertaTemplate(std::string_view begin, std::string_view end,
                                TokenizerDocument& document) {
  const TokenizerDocument::Place places[] = {{begin}, {"$A"}, {end}, {end}, {"$B"}, {end}};
  return document.SetTemplate(std::span(places).first(3), places);
}

/// The pairs of pieces that make each piece, which SentencePiece does not write down: whatever two
/// pieces it can be cut into, in the order of the whole's ids, short left pieces first.
nlohmann::json MakeMerges(const SentencePieceModel& model, const TokenizerDocument::Ids& ids) {
  nlohmann::json merges = nlohmann::json::array();
  for (const SentencePieceModel::Piece& piece : model.pieces) {
    const std::string_view whole = piece.text;
    std::size_t at = 0;
    for (DecodeUtf8(whole, at); at < whole.size(); DecodeUtf8(whole, at)) {
      const std::string_view left = whole.substr(0, at), right = whole.substr(at);
      if (ids.contains(left) && ids.contains(right)) {
        merges.push_back(nlohmann::json::array({left, right}));
      }
    }
  }
  return merges;
}

TokenizerDocument MakeBpeDocument(const SentencePieceModel& model, nlohmann::json unknown) {
  TokenizerDocument::Ids ids;
  nlohmann::json vocab = nlohmann::json::object();
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    ids.insert_or_assign(model.pieces[i].text, static_cast<int32_t>(i));
    vocab[model.pieces[i].text] = static_cast<uint32_t>(i);
  }
  nlohmann::json bpe = {{"type", "BPE"},
                        {"dropout", nullptr},
                        {"unk_token", std::move(unknown)},
                        {"continuing_subword_prefix", nullptr},
                        {"end_of_word_suffix", nullptr},
                        {"fuse_unk", true},
                        {"byte_fallback", true},
                        {"ignore_merges", false},
                        {"vocab", std::move(vocab)},
                        {"merges", MakeMerges(model, ids)}};
  return TokenizerDocument(std::move(bpe), std::move(ids));
}

nlohmann::json BpeDecoder(bool strips_space) {
  nlohmann::json steps = nlohmann::json::array(
      {{{"type", "Replace"}, {"pattern", {{"String", kSpace}}}, {"content", " "}},
       {{"type", "ByteFallback"}},
       {{"type", "Fuse"}}});
  if (strips_space) {
    steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1u}, {"stop", 0u}});
  }
  return {{"type", "Sequence"}, {"decoders", std::move(steps)}};
}

}  // namespace

// fairseq's ids: four special tokens of its own, then the pieces behind SentencePiece's three.
absl::StatusOr<nlohmann::json> ReadXlmRobertaTokenizer(const std::filesystem::path& folder,
                                                       const TokenizerSettings& settings) {
  ASSIGN_OR_RETURN(const auto model, ReadModel(folder, "sentencepiece.bpe.model", Kind::kUnigram));
  ASSIGN_OR_RETURN(const Roles roles, Roles::Read(settings, RobertaRoles(false)));
  ASSIGN_OR_RETURN(const bool prefix_space, settings.Bool("add_prefix_space", true));
  UnigramPieces pieces;
  for (const char* key : {"bos_token", "pad_token", "eos_token", "unk_token"}) {
    pieces.Add(roles.Content(key), 0);
  }
  pieces.AddFrom(model, 3);
  pieces.Add(roles.Content("mask_token"), 0);
  TokenizerDocument document = std::move(pieces).MakeDocument(3);
  SetUnigramSteps(model, prefix_space, document);
  RETURN_IF_ERROR(document.AddTokens(settings, roles.all(), AddedPieces(model)));
  RETURN_IF_ERROR(
      SetRobertaTemplate(roles.Content("bos_token"), roles.Content("eos_token"), document));
  return document.Take();
}

absl::StatusOr<nlohmann::json> ReadCamembertTokenizer(const std::filesystem::path& folder,
                                                      const TokenizerSettings& settings) {
  ASSIGN_OR_RETURN(const auto model, ReadModel(folder, "sentencepiece.bpe.model", Kind::kUnigram));
  ASSIGN_OR_RETURN(const Roles roles, Roles::Read(settings, RobertaRoles(true)));
  ASSIGN_OR_RETURN(const bool prefix_space, settings.Bool("add_prefix_space", true));
  UnigramPieces pieces;
  pieces.Add("<s>NOTUSED", 0);
  pieces.Add(roles.Content("pad_token"), 0);
  pieces.Add("</s>NOTUSED", 0);
  pieces.Add(roles.Content("unk_token"), 0);
  pieces.Add("<unk>NOTUSED", -100);
  pieces.AddFrom(model, 1);
  pieces.Add(roles.Content("mask_token"), 0);
  TokenizerDocument document = std::move(pieces).MakeDocument(3);
  SetUnigramSteps(model, prefix_space, document);
  RETURN_IF_ERROR(document.AddTokens(settings, roles.all(), AddedPieces(model)));
  RETURN_IF_ERROR(
      SetRobertaTemplate(roles.Content("cls_token"), roles.Content("sep_token"), document));
  return document.Take();
}

absl::StatusOr<nlohmann::json> ReadT5Tokenizer(const std::filesystem::path& folder,
                                               const TokenizerSettings& settings) {
  ASSIGN_OR_RETURN(const auto model, ReadModel(folder, "spiece.model", Kind::kUnigram));
  ASSIGN_OR_RETURN(const Roles roles, Roles::Read(settings, {{"eos_token", {"</s>"}},
                                                             {"unk_token", {"<unk>"}},
                                                             {"pad_token", {"<pad>"}}}));
  ASSIGN_OR_RETURN(const int32_t extra_ids, settings.Integer("extra_ids", 100));
  constexpr int32_t kExtraIdsMax = 100'000;
  if (extra_ids > kExtraIdsMax) {
    return absl::InvalidArgumentError(fmt::format(
        "tokenizer_config.json: extra_ids: expected at most {}, got {}", kExtraIdsMax, extra_ids));
  }
  std::vector<FileToken> tokens = AddedPieces(model);
  UnigramPieces pieces;
  pieces.AddFrom(model, 0);
  for (int32_t i = extra_ids; i-- > 0;) {
    const std::string token = fmt::format("<extra_id_{}>", i);
    pieces.Add(token, 0);
    tokens.push_back({token});
  }
  TokenizerDocument document = std::move(pieces).MakeDocument(2);
  SetUnigramSteps(model, true, document);
  RETURN_IF_ERROR(document.AddTokens(settings, roles.all(), tokens));
  const TokenizerDocument::Place places[] = {{"$A"}, {"</s>"}, {"$B"}, {"</s>"}};
  RETURN_IF_ERROR(document.SetTemplate(std::span(places).first(2), places));
  return document.Take();
}

absl::StatusOr<nlohmann::json> ReadLlamaTokenizer(const std::filesystem::path& folder,
                                                  const TokenizerSettings& settings) {
  ASSIGN_OR_RETURN(const auto model, ReadModel(folder, "tokenizer.model", Kind::kBpe));
  ASSIGN_OR_RETURN(const Roles roles, Roles::Read(settings, {{"unk_token", {"<unk>"}},
                                                             {"bos_token", {"<s>"}},
                                                             {"eos_token", {"</s>"}}}));
  ASSIGN_OR_RETURN(const bool prefix_space, settings.Bool("add_prefix_space", true));
  ASSIGN_OR_RETURN(const bool legacy, settings.Bool("legacy", false));
  TokenizerDocument document = MakeBpeDocument(model, nullptr);
  document.Set("pre_tokenizer", {{"type", "Metaspace"},
                                 {"replacement", kSpace},
                                 {"prepend_scheme", !prefix_space ? "never"
                                                    : legacy      ? "always"
                                                                  : "first"},
                                 {"split", false}});
  document.Set("decoder", BpeDecoder(prefix_space));
  RETURN_IF_ERROR(document.AddTokens(settings, roles.all(), AddedPieces(model)));
  RETURN_IF_ERROR(document.SetBosEosTemplate(settings, roles["bos_token"], roles["eos_token"]));
  return document.Take();
}

absl::StatusOr<nlohmann::json> ReadGemmaTokenizer(const std::filesystem::path& folder,
                                                  const TokenizerSettings& settings) {
  ASSIGN_OR_RETURN(const auto model, ReadModel(folder, "tokenizer.model", Kind::kBpe));
  ASSIGN_OR_RETURN(const Roles roles, Roles::Read(settings, {{"unk_token", {"<unk>"}},
                                                             {"bos_token", {"<bos>"}},
                                                             {"eos_token", {"<eos>"}},
                                                             {"pad_token", {"<pad>"}},
                                                             {"mask_token", {"<mask>"}}}));
  TokenizerDocument document = MakeBpeDocument(model, roles.Content("unk_token"));
  document.Set("normalizer",
               {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", kSpace}});
  document.Set("pre_tokenizer", {{"type", "Split"},
                                 {"pattern", {{"String", " "}}},
                                 {"behavior", "MergedWithPrevious"},
                                 {"invert", false}});
  document.Set("decoder", BpeDecoder(false));
  RETURN_IF_ERROR(document.AddTokens(settings, roles.all(), AddedPieces(model)));
  RETURN_IF_ERROR(document.SetBosEosTemplate(settings, roles["bos_token"], roles["eos_token"]));
  return document.Take();
}

}  // namespace text
