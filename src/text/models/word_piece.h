#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/models/model.h"
#include "text/models/trie.h"
#include "text/models/vocabulary.h"

namespace text {

/// WordPiece: a word is split from the left into the longest pieces of the vocabulary, of which all
/// but the first carry a prefix ("##"). A word that cannot be split to its end, or is too long, is
/// one unknown token. The time for a word is its length times that of the longest piece at most.
class WordPiece final : public Model {
 public:
  struct Options {
    std::string unknown_piece = "[UNK]";
    std::string continuing_prefix = "##";
    std::size_t word_characters_max = 100;  ///< in code points
  };
  /// `unknown_piece` is one of the pieces.
  WordPiece(const Options& options, Vocabulary vocabulary);

  static absl::StatusOr<std::unique_ptr<Model>> FromJson(const common::JsonView& json);

  void TokenizeWord(std::string_view word, ModelScratch& scratch,
                    std::vector<int32_t>& ids) const override;
  void TokenizeWord(std::string_view word, ModelScratch& scratch,
                    std::vector<Token>& tokens) const override;

  std::string_view type() const override { return "WordPiece"; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::size_t memory_bytes() const override;

 private:
  template <typename Emit>
  bool Split(std::string_view word, Emit emit) const;

  Vocabulary vocabulary_;
  Trie pieces_;
  Trie::Node continuing_;  // Where the prefix leads: the pieces that continue a word lie below.
  std::size_t word_characters_max_;
  int32_t unknown_id_;
};

}  // namespace text
