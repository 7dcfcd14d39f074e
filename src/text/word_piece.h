#pragma once

#include <memory>

#include "text/json_view.h"
#include "text/model.h"
#include "text/trie.h"

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
  /// Pieces and ids are distinct, ids not negative; `unknown_piece` is one of the pieces.
  WordPiece(const Options& options, std::vector<Trie::Entry> vocabulary);

  static absl::StatusOr<std::unique_ptr<Model>> FromJson(const JsonView& json);

  void Tokenize(std::span<const std::string_view> words, std::size_t ids_max,
                std::vector<int32_t>& ids) const override;

  std::optional<int32_t> IdOf(std::string_view piece) const override;
  std::size_t size() const override { return size_; }
  int32_t ids_end() const override { return ids_end_; }

 private:
  void TokenizeWord(std::string_view word, std::vector<int32_t>& ids) const;

  Trie pieces_;
  Trie::Node continuing_;  // Where the prefix leads: the pieces that continue a word lie below.
  std::size_t word_characters_max_;
  std::size_t size_;
  int32_t unknown_id_;
  int32_t ids_end_ = 0;
};

}  // namespace text
