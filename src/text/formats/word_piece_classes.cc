#include <nlohmann/json.hpp>

#include "common/file.h"
#include "text/formats/tokenizer_classes.h"
#include "text/formats/tokenizer_document.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

/// The pieces of vocab.txt, a line each, whose numbers are the ids.
absl::StatusOr<TokenizerDocument::Ids> ReadVocabulary(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const std::string bytes, common::ReadFile(folder / "vocab.txt"));
  if (!IsValidUtf8(bytes)) return absl::InvalidArgumentError("vocab.txt: is no UTF-8");
  TokenizerDocument::Ids ids;
  int32_t id = 0;
  for (std::string_view rest = bytes; !rest.empty(); ++id) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ids.insert_or_assign(std::string(line), id);
  }
  return ids;
}

absl::StatusOr<FileToken> Token(const TokenizerSettings& settings, const SpecialRole& role) {
  ASSIGN_OR_RETURN(const auto token, settings.Token(role.key, role.otherwise));
  return token.value_or(role.otherwise);
}

/// All of a tokenizer of BERT's kind but its post-processor.
absl::StatusOr<TokenizerDocument> ReadWordPiece(const std::filesystem::path& folder,
                                                const TokenizerSettings& settings,
                                                std::span<const SpecialRole> roles) {
  ASSIGN_OR_RETURN(TokenizerDocument::Ids ids, ReadVocabulary(folder));
  ASSIGN_OR_RETURN(const FileToken unknown, Token(settings, {"unk_token", {"[UNK]"}}));
  nlohmann::json vocab = nlohmann::json::object();
  for (const auto& [piece, id] : ids) {
    if (!piece.empty()) vocab[piece] = static_cast<uint32_t>(id);
  }
  if (!vocab.contains(unknown.content)) {
    return absl::InvalidArgumentError("vocab.txt: holds no \"" + unknown.content + "\"");
  }
  TokenizerDocument document({{"type", "WordPiece"},
                              {"unk_token", unknown.content},
                              {"continuing_subword_prefix", "##"},
                              {"max_input_chars_per_word", 100u},
                              {"vocab", std::move(vocab)}},
                             std::move(ids));
  ASSIGN_OR_RETURN(const bool lower_case, settings.Bool("do_lower_case", true));
  ASSIGN_OR_RETURN(const bool chinese, settings.Bool("tokenize_chinese_chars", true));
  ASSIGN_OR_RETURN(const auto strip_accents, settings.OptionalBool("strip_accents"));
  document.Set("normalizer",
               {{"type", "BertNormalizer"},
                {"clean_text", true},
                {"handle_chinese_chars", chinese},
                {"strip_accents", strip_accents ? nlohmann::json(*strip_accents) : nullptr},
                {"lowercase", lower_case}});
  document.Set("pre_tokenizer", {{"type", "BertPreTokenizer"}});
  document.Set("decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}});
  ASSIGN_OR_RETURN(const auto others, settings.AdditionalTokens());
  RETURN_IF_ERROR(document.AddTokens(settings, roles, others));
  return document;
}

}  // namespace

absl::StatusOr<nlohmann::json> ReadBertTokenizer(const std::filesystem::path& folder,
                                                 const TokenizerSettings& settings) {
  const SpecialRole sep_role{"sep_token", {"[SEP]"}}, cls_role{"cls_token", {"[CLS]"}};
  const SpecialRole roles[] = {{"unk_token", {"[UNK]"}},
                               sep_role,
                               {"pad_token", {"[PAD]"}},
                               cls_role,
                               {"mask_token", {"[MASK]"}}};
  ASSIGN_OR_RETURN(TokenizerDocument document, ReadWordPiece(folder, settings, roles));
  ASSIGN_OR_RETURN(const FileToken sep, Token(settings, sep_role));
  ASSIGN_OR_RETURN(const FileToken cls, Token(settings, cls_role));
  const TokenizerDocument::Place places[] = {
      {cls.content, 0}, {"$A", 0}, {sep.content, 0}, {"$B", 1}, {sep.content, 1}};
  RETURN_IF_ERROR(document.SetTemplate(std::span(places).first(3), places));
  return document.Take();
}

absl::StatusOr<nlohmann::json> ReadMpnetTokenizer(const std::filesystem::path& folder,
                                                  const TokenizerSettings& settings) {
  const SpecialRole sep_role{"sep_token", {"</s>"}}, cls_role{"cls_token", {"<s>"}};
  FileToken mask{"<mask>"};
  mask.lstrip = true;
  const SpecialRole roles[] = {{"bos_token", {"<s>"}},
                               {"eos_token", {"</s>"}},
                               sep_role,
                               cls_role,
                               {"unk_token", {"[UNK]"}},
                               {"pad_token", {"<pad>"}},
                               {"mask_token", mask}};
  ASSIGN_OR_RETURN(TokenizerDocument document, ReadWordPiece(folder, settings, roles));
  ASSIGN_OR_RETURN(const FileToken sep, Token(settings, sep_role));
  ASSIGN_OR_RETURN(const FileToken cls, Token(settings, cls_role));
  RETURN_IF_ERROR(document.SetRobertaProcessing(sep.content, cls.content, true, false));
  return document.Take();
}

}  // namespace text
