#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "text/models/bpe.h"

namespace text {
namespace {

using common::JsonView;

/// The member `key` if it is there and not null, else `otherwise`.
absl::StatusOr<bool> OptionalBool(const JsonView& json, std::string_view key) {
  return json.Has(key) ? json.Bool(key) : false;
}

absl::StatusOr<std::string> OptionalString(const JsonView& json, std::string_view key) {
  if (!json.Has(key)) return std::string();
  ASSIGN_OR_RETURN(const std::string_view value, json.String(key));
  return std::string(value);
}

absl::StatusOr<Bpe::Options> ReadOptions(const JsonView& json) {
  Bpe::Options options;
  if (json.Has("unk_token")) {
    ASSIGN_OR_RETURN(options.unknown_piece, json.String("unk_token"));
  }
  ASSIGN_OR_RETURN(options.fuses_unknown, OptionalBool(json, "fuse_unk"));
  ASSIGN_OR_RETURN(options.byte_fallback, OptionalBool(json, "byte_fallback"));
  ASSIGN_OR_RETURN(options.ignores_merges, OptionalBool(json, "ignore_merges"));
  ASSIGN_OR_RETURN(options.continuing_prefix, OptionalString(json, "continuing_subword_prefix"));
  ASSIGN_OR_RETURN(options.end_suffix, OptionalString(json, "end_of_word_suffix"));
  return options;
}

/// The two pieces of a merge, "a b" or ["a", "b"]; nothing if it is neither.
std::optional<std::pair<std::string_view, std::string_view>> ReadPair(const nlohmann::json& merge) {
  if (merge.is_array()) {
    if (merge.size() != 2 || !merge[0].is_string() || !merge[1].is_string()) return std::nullopt;
    return {{merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>()}};
  }
  if (!merge.is_string()) return std::nullopt;
  const std::string_view both = merge.get_ref<const std::string&>();
  const std::size_t space = both.find(' ');
  if (space == std::string_view::npos || space != both.rfind(' ')) return std::nullopt;
  return {{both.substr(0, space), both.substr(space + 1)}};
}

bool IsComment(const nlohmann::json& merge) {
  return merge.is_string() && merge.get_ref<const std::string&>().starts_with("#version");
}

/// The list of merges, whose pieces and results must be in the vocabulary.
absl::StatusOr<std::vector<BpeMerge>> ReadMerges(const JsonView& json, const Vocabulary& vocabulary,
                                                 std::string_view continuing_prefix) {
  const nlohmann::json& list = json.value();
  if (!list.is_array()) return json.Expected("a list of merges");
  // Pieces may be numbered by the merge that makes them, behind the characters.
  const std::size_t numbers = static_cast<std::size_t>(vocabulary.ids_end()) + list.size();
  if (numbers > BpePairs::kEnd) {
    return json.Error(fmt::format("{} merges and ids up to {}: expected up to {} together",
                                  list.size(), vocabulary.ids_end() - 1, BpePairs::kEnd));
  }
  std::vector<BpeMerge> merges;
  merges.reserve(list.size());
  std::string merged_piece;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (IsComment(list[i])) continue;
    const auto pair = ReadPair(list[i]);
    if (!pair) return json.Element(i).Expected("\"a b\" or [\"a\", \"b\"]");
    const auto& [left, right] = *pair;
    if (!right.starts_with(continuing_prefix)) {
      return json.Element(i).Expected(
          fmt::format("a second piece that begins with \"{}\"", continuing_prefix));
    }
    merged_piece.assign(left).append(right.substr(continuing_prefix.size()));
    int32_t ids[3];
    int32_t* id = ids;
    for (const std::string_view piece : {left, right, std::string_view(merged_piece)}) {
      const auto known = vocabulary.IdOf(piece);
      if (!known) {
        return json.Element(i).Error(fmt::format("\"{}\" is not in model.vocab", piece));
      }
      *id++ = *known;
    }
    merges.push_back({ids[0], ids[1], ids[2]});
  }
  return merges;
}

/// That no text asks for an unknown piece that is not there (where the library would fail): all
/// bytes have pieces.
absl::Status CheckUnknown(const JsonView& json, const Bpe::Options& options, const PieceForm& form,
                          const Vocabulary& vocabulary) {
  if (!options.unknown_piece || vocabulary.IdOf(*options.unknown_piece)) return absl::OkStatus();
  const BpeCharacters characters(form, vocabulary, {.byte_fallback = options.byte_fallback});
  if (characters.HasAllBytes()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const JsonView unknown, json.Member("unk_token"));
  return unknown.Expected("a piece of model.vocab");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Model>> Bpe::FromJson(const JsonView& json, const PieceForm& form) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "dropout", "unk_token", "continuing_subword_prefix",
                                   "end_of_word_suffix", "fuse_unk", "byte_fallback",
                                   "ignore_merges", "vocab", "merges"}));
  if (json.Has("dropout")) {
    ASSIGN_OR_RETURN(const JsonView dropout, json.Member("dropout"));
    // Dropout is chance: no text would have an encoding.
    if (dropout.value() != 0) return dropout.Expected("null or 0");
  }
  ASSIGN_OR_RETURN(const Options options, ReadOptions(json));
  ASSIGN_OR_RETURN(const JsonView vocab, json.Member("vocab"));
  ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::FromObject(vocab));
  RETURN_IF_ERROR(CheckUnknown(json, options, form, vocabulary));
  ASSIGN_OR_RETURN(const JsonView list, json.Member("merges"));
  ASSIGN_OR_RETURN(const std::vector<BpeMerge> merges,
                   ReadMerges(list, vocabulary, options.continuing_prefix));
  return std::make_unique<Bpe>(options, form, std::move(vocabulary), merges);
}

}  // namespace text
