#include "text/word_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "common/check.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr int32_t kLastId = std::numeric_limits<int32_t>::max() - 1;

/// The pieces of model.vocab with their ids. Backed by `pieces`.
absl::StatusOr<std::vector<Trie::Entry>> ReadVocabulary(const JsonView& json,
                                                        std::vector<std::string>& pieces) {
  std::vector<int32_t> ids;
  std::unordered_map<int32_t, std::size_t> piece_of;
  const auto read = [&](const std::string& piece, const JsonView& value) -> absl::Status {
    ASSIGN_OR_RETURN(const int32_t id, value.AsInteger(kLastId));
    const auto [other, is_new] = piece_of.try_emplace(id, pieces.size());
    if (!is_new) {
      return value.Error(fmt::format("id {} is that of \"{}\" too", id, pieces[other->second]));
    }
    pieces.push_back(piece);
    ids.push_back(id);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(json.ForEachMember(read));
  std::vector<Trie::Entry> entries(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) entries[i] = {pieces[i], ids[i]};
  return entries;
}

}  // namespace

WordPiece::WordPiece(const Options& options, std::vector<Trie::Entry> vocabulary)
    : word_characters_max_(options.word_characters_max), size_(vocabulary.size()) {
  for (const auto& entry : vocabulary) ids_end_ = std::max(ids_end_, entry.value + 1);
  pieces_ = Trie(std::move(vocabulary));
  continuing_ = pieces_.Find(options.continuing_prefix);
  const auto unknown_id = IdOf(options.unknown_piece);
  CHECK(unknown_id.has_value()) << options.unknown_piece;
  unknown_id_ = *unknown_id;
}

absl::StatusOr<std::unique_ptr<Model>> WordPiece::FromJson(const JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys(
      {"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"}));
  Options options;
  ASSIGN_OR_RETURN(options.unknown_piece, json.String("unk_token"));
  ASSIGN_OR_RETURN(options.continuing_prefix, json.String("continuing_subword_prefix"));
  ASSIGN_OR_RETURN(options.word_characters_max,
                   json.Integer("max_input_chars_per_word", std::numeric_limits<int32_t>::max()));
  ASSIGN_OR_RETURN(const JsonView vocabulary, json.Member("vocab"));
  std::vector<std::string> pieces;
  ASSIGN_OR_RETURN(std::vector<Trie::Entry> entries, ReadVocabulary(vocabulary, pieces));
  if (std::find(pieces.begin(), pieces.end(), options.unknown_piece) == pieces.end()) {
    ASSIGN_OR_RETURN(const JsonView unknown, json.Member("unk_token"));
    return unknown.Expected("a piece of model.vocab");
  }
  return std::make_unique<WordPiece>(options, std::move(entries));
}

void WordPiece::Tokenize(std::span<const std::string_view> words, std::size_t ids_max,
                         std::vector<int32_t>& ids) const {
  for (const std::string_view word : words) {
    if (ids.size() >= ids_max) return;
    TokenizeWord(word, ids);
  }
}

void WordPiece::TokenizeWord(std::string_view word, std::vector<int32_t>& ids) const {
  // A code point has at least a byte: most words need not be counted.
  if (word.size() > word_characters_max_ && CountCodePoints(word) > word_characters_max_) {
    ids.push_back(unknown_id_);
    return;
  }
  const std::size_t first = ids.size();
  for (Trie::Node root = Trie::kRoot; !word.empty(); root = continuing_) {
    const Trie::Match match =
        root == Trie::kNone ? Trie::Match{} : pieces_.LongestPrefix(root, word);
    if (match.size == 0) {
      ids.resize(first);
      ids.push_back(unknown_id_);
      return;
    }
    ids.push_back(match.value);
    word.remove_prefix(match.size);
  }
}

std::optional<int32_t> WordPiece::IdOf(std::string_view piece) const {
  const Trie::Node node = pieces_.Find(piece);
  if (node == Trie::kNone || pieces_.value(node) < 0) return std::nullopt;
  return pieces_.value(node);
}

}  // namespace text
