#include "text/models/model_types.h"

#include <fmt/format.h>

#include "text/models/bpe.h"
#include "text/models/unigram.h"
#include "text/models/word_piece.h"

namespace text {
namespace {

// No published tokenizer has a WordPiece there; its pieces would have to be brought into that form.
absl::StatusOr<std::unique_ptr<Model>> ReadWordPiece(const common::JsonView& json,
                                                     const PieceForm& form) {
  if (form.kind != PieceForm::Kind::kPlain) {
    return json.Error("WordPiece behind ByteLevel or Metaspace is not known");
  }
  return WordPiece::FromJson(json);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Model>> ReadModel(const common::JsonView& json,
                                                 const PieceForm& form) {
  // Files of before 2020 do not name the type; these keys are one type's alone.
  const bool is_named = json.Has("type");
  if (!is_named && json.Has("max_input_chars_per_word")) return ReadWordPiece(json, form);
  if (!is_named && json.Has("merges")) return Bpe::FromJson(json, form);
  ASSIGN_OR_RETURN(const common::JsonView type, json.Member("type"));
  ASSIGN_OR_RETURN(const std::string_view name, type.AsString());
  if (name == "BPE") return Bpe::FromJson(json, form);
  if (name == "Unigram") return Unigram::FromJson(json, form);
  if (name == "WordPiece") return ReadWordPiece(json, form);
  return type.Error(fmt::format("\"{}\" is not known; known: BPE, Unigram, WordPiece", name));
}

}  // namespace text
