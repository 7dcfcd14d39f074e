#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/file.h"
#include "common/json.h"
#include "text/formats/tokenizer_classes.h"
#include "text/formats/tokenizer_document.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// The pairs of merges.txt, one a line, behind a line with the version.
absl::StatusOr<nlohmann::json> ReadMerges(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const std::string bytes, common::ReadFile(folder / "merges.txt"));
  if (!IsValidUtf8(bytes)) return absl::InvalidArgumentError("merges.txt: is no UTF-8");
  nlohmann::json merges = nlohmann::json::array();
  std::size_t number = 0;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("#version")) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
      return absl::InvalidArgumentError(
          fmt::format("merges.txt: line {}: expected two pieces and a space between", number));
    }
    merges.push_back(nlohmann::json::array({line.substr(0, space), line.substr(space + 1)}));
  }
  return merges;
}

/// The model and the added tokens.
absl::StatusOr<TokenizerDocument> ReadByteLevel(const std::filesystem::path& folder,
                                                const TokenizerSettings& settings,
                                                std::span<const SpecialRole> roles) {
  ASSIGN_OR_RETURN(nlohmann::json vocab, common::ReadJsonFile(folder / "vocab.json"));
  ASSIGN_OR_RETURN(nlohmann::json merges, ReadMerges(folder));
  if (!vocab.is_object()) return absl::InvalidArgumentError("vocab.json: expected an object");
  TokenizerDocument::Ids ids;
  for (const auto& [piece, id] : vocab.items()) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(
          fmt::format("vocab.json: {}: expected an id, got {}", piece, id.dump()));
    }
    ids.emplace(piece, id.get<int32_t>());
  }
  TokenizerDocument document({{"type", "BPE"},
                              {"dropout", nullptr},
                              {"unk_token", nullptr},
                              {"continuing_subword_prefix", ""},
                              {"end_of_word_suffix", ""},
                              {"fuse_unk", false},
                              {"byte_fallback", false},
                              {"ignore_merges", false},
                              {"vocab", std::move(vocab)},
                              {"merges", std::move(merges)}},
                             std::move(ids));
  ASSIGN_OR_RETURN(const auto others, settings.AdditionalTokens());
  RETURN_IF_ERROR(document.AddTokens(settings, roles, others));
  return document;
}

nlohmann::json ByteLevel(bool add_prefix_space, bool use_regex) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", add_prefix_space},
          {"trim_offsets", true},
          {"use_regex", use_regex}};
}

FileToken EndOfText() { return {"<|endoftext|>"}; }

}  // namespace

absl::StatusOr<nlohmann::json> ReadGpt2Tokenizer(const std::filesystem::path& folder,
                                                 const TokenizerSettings& settings) {
  const SpecialRole roles[] = {
      {"unk_token", EndOfText()}, {"bos_token", EndOfText()}, {"eos_token", EndOfText()}};
  ASSIGN_OR_RETURN(TokenizerDocument document, ReadByteLevel(folder, settings, roles));
  ASSIGN_OR_RETURN(const bool prefix_space, settings.Bool("add_prefix_space", false));
  document.Set("pre_tokenizer", ByteLevel(prefix_space, true));
  document.Set("decoder", ByteLevel(true, true));
  ASSIGN_OR_RETURN(const auto bos, settings.Token("bos_token", EndOfText()));
  ASSIGN_OR_RETURN(const auto eos, settings.Token("eos_token", EndOfText()));
  RETURN_IF_ERROR(document.SetBosEosTemplate(settings, bos, eos));
  return document.Take();
}

absl::StatusOr<nlohmann::json> ReadRobertaTokenizer(const std::filesystem::path& folder,
                                                    const TokenizerSettings& settings) {
  const FileToken begin{"<s>"}, end{"</s>"};
  const SpecialRole roles[] = {{"bos_token", begin},      {"eos_token", end},
                               {"sep_token", end},        {"cls_token", begin},
                               {"unk_token", {"<unk>"}},  {"pad_token", {"<pad>"}},
                               {"mask_token", {"<mask>"}}};
  ASSIGN_OR_RETURN(TokenizerDocument document, ReadByteLevel(folder, settings, roles));
  ASSIGN_OR_RETURN(const bool prefix_space, settings.Bool("add_prefix_space", false));
  ASSIGN_OR_RETURN(const bool trim_offsets, settings.Bool("trim_offsets", true));
  document.Set("pre_tokenizer", ByteLevel(prefix_space, true));
  document.Set("decoder", ByteLevel(true, true));
  ASSIGN_OR_RETURN(const auto sep, settings.Token("sep_token", end));
  ASSIGN_OR_RETURN(const auto cls, settings.Token("cls_token", begin));
  RETURN_IF_ERROR(document.SetRobertaProcessing(
      sep.value_or(end).content, cls.value_or(begin).content, trim_offsets, prefix_space));
  return document.Take();
}

absl::StatusOr<nlohmann::json> ReadQwen2Tokenizer(const std::filesystem::path& folder,
                                                  const TokenizerSettings& settings) {
  const SpecialRole roles[] = {
      {"unk_token", EndOfText()}, {"eos_token", EndOfText()}, {"pad_token", EndOfText()}};
  ASSIGN_OR_RETURN(TokenizerDocument document, ReadByteLevel(folder, settings, roles));
  ASSIGN_OR_RETURN(const bool prefix_space, settings.Bool("add_prefix_space", false));
  document.Set("normalizer", {{"type", "NFC"}});
  document.Set("pre_tokenizer",
               {{"type", "Sequence"},
                {"pretokenizers", nlohmann::json::array({{{"type", "Split"},
                                                          {"pattern", {{"Regex", kQwen2Pattern}}},
                                                          {"behavior", "Isolated"},
                                                          {"invert", false}},
                                                         ByteLevel(prefix_space, false)})}});
  document.Set("decoder", ByteLevel(true, true));
  ASSIGN_OR_RETURN(const auto bos, settings.Token("bos_token", {}));
  ASSIGN_OR_RETURN(const auto eos, settings.Token("eos_token", EndOfText()));
  RETURN_IF_ERROR(document.SetBosEosTemplate(settings, bos, eos));
  return document.Take();
}

}  // namespace text
