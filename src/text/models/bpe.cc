#include "text/models/bpe.h"

#include <algorithm>

#include "text/models/model_scratch.h"

namespace text {
namespace {

/// Takes ids alone.
struct IdSink {
  std::vector<int32_t>& ids;

  void Add(int32_t id, std::size_t) { ids.push_back(id); }
  void AddPiece(int32_t id) { ids.push_back(id); }
};

/// Takes ids with their places in the word as the vocabulary writes it.
struct TokenSink {
  const Vocabulary& vocabulary;
  std::vector<Model::Token>& tokens;
  std::size_t end = 0;

  void Add(int32_t id, std::size_t width) {
    const std::size_t begin = end;
    end += width;
    tokens.push_back({id, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
  }
  void AddPiece(int32_t id) { Add(id, vocabulary.PieceOf(id).size()); }
};

/// Takes the symbols that are to be merged.
struct SymbolSink {
  std::vector<BpeScratch::Symbol>& symbols;

  void Add(int32_t id, std::size_t width) {
    symbols.push_back({.id = id, .width = static_cast<uint32_t>(width)});
  }
};

/// The bytes of every piece as they stand in words; empty if no word can hold it.
std::vector<std::string> WordBytes(const Vocabulary& vocabulary, const PieceForm& form) {
  std::vector<std::string> bytes(static_cast<std::size_t>(vocabulary.ids_end()));
  for (std::size_t id = 0; id < bytes.size(); ++id) {
    bytes[id] = form.ToWordBytes(vocabulary.PieceOf(static_cast<int32_t>(id))).value_or("");
  }
  return bytes;
}

BpeCharacters::Options CharacterOptions(const Bpe::Options& options, const Vocabulary& vocabulary) {
  const auto unknown_id =
      options.unknown_piece ? vocabulary.IdOf(*options.unknown_piece) : std::nullopt;
  return {unknown_id, options.fuses_unknown, options.byte_fallback};
}

}  // namespace

Bpe::Bpe(const Options& options, const PieceForm& form, Vocabulary vocabulary,
         const std::vector<BpeMerge>& merges)
    : options_(options),
      vocabulary_(std::move(vocabulary)),
      characters_(form, vocabulary_, CharacterOptions(options, vocabulary_)) {
  const std::vector<std::string> bytes = WordBytes(vocabulary_, form);
  if (options.ignores_merges) whole_words_ = Vocabulary(bytes);
  const bool merges_stand_ins = std::any_of(merges.begin(), merges.end(), [&](const auto& merge) {
    return characters_.IsStandIn(merge.left) || characters_.IsStandIn(merge.right);
  });
  const bool pieces_stand_anywhere =
      options.continuing_prefix.empty() && options.end_suffix.empty();
  if (pieces_stand_anywhere && !merges_stand_ins) {
    std::vector<int32_t> characters;
    for (std::size_t id = 0; id < bytes.size(); ++id) {
      if (characters_.IsCharacter(bytes[id])) characters.push_back(static_cast<int32_t>(id));
    }
    walk_ = BpeWalk::Create({bytes, characters, merges});
    if (walk_ && form.kind == PieceForm::Kind::kByteLevel) short_words_.emplace(*walk_, bytes);
  }
  if (!walk_) queue_.emplace(merges);
}

void Bpe::TokenizeWord(std::string_view word, ModelScratch& scratch,
                       std::vector<int32_t>& ids) const {
  IdSink sink{ids};
  Encode(word, scratch.bpe, sink);
}

void Bpe::TokenizeWord(std::string_view word, ModelScratch& scratch,
                       std::vector<Token>& tokens) const {
  const std::size_t first = tokens.size();
  TokenSink sink{vocabulary_, tokens};
  Encode(word, scratch.bpe, sink);
  PlaceInWord(word, tokens, first);
}

template <typename Sink>
void Bpe::Encode(std::string_view word, BpeScratch& scratch, Sink& sink) const {
  if (options_.ignores_merges) {
    if (const auto id = whole_words_.IdOf(word)) return sink.AddPiece(*id);
  }
  if (walk_) return Walk(word, scratch, sink);
  ReadSymbols(word, scratch);
  queue_->Merge(scratch);
  for (const BpeScratch::Symbol& symbol : scratch.symbols) sink.Add(symbol.id, symbol.width);
}

template <typename Sink>
void Bpe::Walk(std::string_view word, BpeScratch& scratch, Sink& sink) const {
  if (short_words_ && word.size() <= BpeShortWords::kBytesMax) {
    uint32_t pieces[BpeShortWords::kBytesMax];
    if (const auto count = short_words_->Encode(word, walk_->pairs(), pieces)) {
      for (std::size_t i = 0; i < *count; ++i) sink.AddPiece(walk_->IdOf(pieces[i]));
      return;
    }
  }
  walk_->Start(word, scratch);
  BpeCharacters::Unknown unknown;
  for (std::size_t at = 0; at < word.size();) {
    const BpeWalk::Encoded encoded = walk_->Encode(word, at, scratch);
    std::string_view missing;
    if (encoded.end < word.size()) {
      const std::size_t size = characters_.SizeAt(word, encoded.end);
      missing = characters_.Written(word.substr(encoded.end, size));
      if (characters_.IsLeftOut(missing)) {
        return Walk(Present(word.substr(at), scratch), scratch, sink);
      }
      at = encoded.end + size;
    } else {
      at = encoded.end;
    }
    if (encoded.count > 0) characters_.AddUnknown(unknown, sink);
    for (std::size_t i = 0; i < encoded.count; ++i) {
      sink.AddPiece(walk_->IdOf(scratch.pieces[i]));
    }
    if (!missing.empty()) characters_.AddMissing(missing, missing.size(), unknown, sink);
  }
  characters_.AddUnknown(unknown, sink);
}

/// `word` without the characters that are left out, as their neighbours may merge.
std::string_view Bpe::Present(std::string_view word, BpeScratch& scratch) const {
  scratch.present.clear();
  for (std::size_t at = 0, size = 0; at < word.size(); at += size) {
    size = characters_.SizeAt(word, at);
    const std::string_view character = word.substr(at, size);
    if (walk_->Begins(character) || !characters_.IsLeftOut(characters_.Written(character))) {
      scratch.present += character;
    }
  }
  return scratch.present;
}

/// Sets scratch.symbols to the characters of `word` and what stands for those without a piece.
void Bpe::ReadSymbols(std::string_view word, BpeScratch& scratch) const {
  scratch.symbols.clear();
  SymbolSink sink{scratch.symbols};
  BpeCharacters::Unknown unknown;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t size = characters_.SizeAt(word, at);
    const std::string_view written = characters_.Written(word.substr(at, size));
    scratch.written.clear();
    if (at > 0) scratch.written += options_.continuing_prefix;
    scratch.written += written;
    at += size;
    if (at == word.size()) scratch.written += options_.end_suffix;
    if (const auto id = vocabulary_.IdOf(scratch.written)) {
      characters_.AddUnknown(unknown, sink);
      sink.Add(*id, written.size());
    } else {
      characters_.AddMissing(scratch.written, written.size(), unknown, sink);
    }
  }
  characters_.AddUnknown(unknown, sink);
}

/// Turns the places of tokens [first, end) from the word as the vocabulary writes it into those in
/// `word`. They are in order, and those of a part of a character that is written otherwise become
/// all of it. Behind the word there is nothing.
void Bpe::PlaceInWord(std::string_view word, std::vector<Token>& tokens, std::size_t first) const {
  std::size_t at = 0, written_at = 0;  // The character at hand, in both.
  for (std::size_t i = first; i < tokens.size(); ++i) {
    const auto place = [&](uint32_t written, bool is_end) {
      while (at < word.size()) {
        const std::size_t size = characters_.SizeAt(word, at);
        const std::size_t written_size = characters_.Written(word.substr(at, size)).size();
        const std::size_t inside = written - written_at;
        if (inside < written_size || (is_end && inside == written_size)) {
          if (size == written_size) return at + inside;
          return is_end && inside > 0 ? at + size : at;
        }
        at += size;
        written_at += written_size;
      }
      return word.size();
    };
    tokens[i].begin = static_cast<uint32_t>(place(tokens[i].begin, false));
    tokens[i].end = static_cast<uint32_t>(place(tokens[i].end, true));
  }
}

std::size_t Bpe::memory_bytes() const {
  return vocabulary_.memory_bytes() + whole_words_.memory_bytes() +
         (short_words_ ? short_words_->memory_bytes() : 0) + (walk_ ? walk_->memory_bytes() : 0) +
         (queue_ ? queue_->memory_bytes() : 0);
}

// What merges is a piece. A piece in which the mark only begins is never made across a place before
// the mark. Behind characters that are left out, the library's places slip: to the end of the
// whole.
bool Bpe::KeepsApart(std::string_view mark) const {
  if (!options_.unknown_piece && !characters_.HasAllBytes()) return false;
  if (options_.ignores_merges || !options_.continuing_prefix.empty() ||
      !options_.end_suffix.empty() || !vocabulary_.IdOf(mark)) {
    return false;
  }
  for (int32_t id = 0; id < vocabulary_.ids_end(); ++id) {
    const std::string_view piece = vocabulary_.PieceOf(id);
    std::size_t begin = 0;
    while (piece.substr(begin).starts_with(mark)) begin += mark.size();
    if (piece.find(mark, begin) != std::string_view::npos) return false;
  }
  return true;
}

}  // namespace text
