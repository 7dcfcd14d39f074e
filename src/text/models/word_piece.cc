#include "text/models/word_piece.h"

#include <limits>

#include "common/check.h"
#include "text/unicode/utf8.h"

namespace text {

WordPiece::WordPiece(const Options& options, Vocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)), word_characters_max_(options.word_characters_max) {
  std::vector<Trie::Entry> entries;
  for (int32_t id = 0; id < vocabulary_.ids_end(); ++id) {
    const std::string_view piece = vocabulary_.PieceOf(id);
    if (!piece.empty()) entries.push_back({piece, id});
  }
  pieces_ = Trie(std::move(entries));
  continuing_ = pieces_.Find(options.continuing_prefix);
  const auto unknown_id = vocabulary_.IdOf(options.unknown_piece);
  CHECK(unknown_id.has_value()) << options.unknown_piece;
  unknown_id_ = *unknown_id;
}

absl::StatusOr<std::unique_ptr<Model>> WordPiece::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys(
      {"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"}));
  Options options;
  ASSIGN_OR_RETURN(options.unknown_piece, json.String("unk_token"));
  ASSIGN_OR_RETURN(options.continuing_prefix, json.String("continuing_subword_prefix"));
  ASSIGN_OR_RETURN(options.word_characters_max,
                   json.Integer("max_input_chars_per_word", std::numeric_limits<int32_t>::max()));
  ASSIGN_OR_RETURN(const common::JsonView vocab, json.Member("vocab"));
  ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::FromObject(vocab));
  if (!vocabulary.IdOf(options.unknown_piece)) {
    ASSIGN_OR_RETURN(const common::JsonView unknown, json.Member("unk_token"));
    return unknown.Expected("a piece of model.vocab");
  }
  return std::make_unique<WordPiece>(options, std::move(vocabulary));
}

// Calls emit(id, begin, end) for each piece; false: the word is unknown.
template <typename Emit>
bool WordPiece::Split(std::string_view word, Emit emit) const {
  // A code point has at least a byte: most words need not be counted.
  if (word.size() > word_characters_max_ && CountCodePoints(word) > word_characters_max_) {
    return false;
  }
  Trie::Node root = Trie::kRoot;
  for (std::size_t at = 0; at < word.size(); root = continuing_) {
    const Trie::Match match =
        root == Trie::kNone ? Trie::Match{} : pieces_.LongestPrefix(root, word.substr(at));
    if (match.size == 0) return false;
    emit(match.value, at, at + match.size);
    at += match.size;
  }
  return true;
}

void WordPiece::TokenizeWord(std::string_view word, ModelScratch&,
                             std::vector<int32_t>& ids) const {
  const std::size_t first = ids.size();
  if (Split(word, [&](int32_t id, std::size_t, std::size_t) { ids.push_back(id); })) return;
  ids.resize(first);
  ids.push_back(unknown_id_);
}

void WordPiece::TokenizeWord(std::string_view word, ModelScratch&,
                             std::vector<Token>& tokens) const {
  const std::size_t first = tokens.size();
  const auto emit = [&](int32_t id, std::size_t begin, std::size_t end) {
    tokens.push_back({id, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
  };
  if (Split(word, emit)) return;
  tokens.resize(first);
  tokens.push_back({unknown_id_, 0, static_cast<uint32_t>(word.size())});
}

std::size_t WordPiece::memory_bytes() const {
  return vocabulary_.memory_bytes() + pieces_.memory_bytes();
}

}  // namespace text
