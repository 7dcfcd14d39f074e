#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "common/json_view.h"
#include "text/models/model.h"
#include "text/models/unigram_scratch.h"
#include "text/models/unigram_trie.h"
#include "text/pre_tokenizers/piece_form.h"

namespace text {

/// Unigram (Kudo 2018): of all ways to cut a word into pieces the one whose scores have the largest
/// sum, found by Viterbi's algorithm. Sums are doubles added from the left, and of equal ways the
/// one found first stays, which is the one with the longer last piece: as Hugging Face has it.
///
/// A character that is no piece itself may be unknown, at the lowest score less 10. Neighbouring
/// unknown characters are one token; with byte_fallback they are the pieces <0x00> … <0xFF> of
/// their bytes if all of these are there. Without an unknown piece, where the library fails,
/// unknown characters give no token. The time for a word is its length times that of the longest
/// piece.
class Unigram final : public Model {
 public:
  struct Options {
    std::optional<int32_t> unknown_id;
    bool byte_fallback = false;
    PieceForm form;  ///< of `vocabulary`
  };
  /// `scores` by id, all finite; unknown_id is one of them.
  Unigram(const Options& options, Vocabulary vocabulary, std::span<const double> scores);

  static absl::StatusOr<std::unique_ptr<Model>> FromJson(const common::JsonView& json,
                                                         const PieceForm& form);

  void TokenizeWord(std::string_view word, ModelScratch& scratch,
                    std::vector<int32_t>& ids) const override;
  void TokenizeWord(std::string_view word, ModelScratch& scratch,
                    std::vector<Token>& tokens) const override;

  std::string_view type() const override { return "Unigram"; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::size_t memory_bytes() const override;

 private:
  using Node = UnigramScratch::Node;
  struct Pieces;

  /// The ids of a byte's fallback; none: some piece is missing. More than one where the form writes
  /// a byte for a longer character.
  struct ByteFallback {
    std::array<int32_t, 4> ids{};
    std::size_t count = 0;
  };
  void SetByteFallback(const PieceForm& form);

  template <typename T>
  void Split(std::string_view word, UnigramScratch& scratch, std::vector<T>& out) const;
  std::size_t Relax(std::string_view word, std::size_t base, std::size_t at, std::size_t stop,
                    std::span<Node> nodes) const;
  template <typename T>
  void AppendPath(std::string_view word, std::span<const Node> nodes, std::size_t base,
                  std::size_t from, std::size_t to, std::vector<T>& out) const;
  template <typename T>
  void AppendUnknown(std::string_view word, std::size_t begin, std::size_t end,
                     std::vector<T>& out) const;
  std::size_t CharacterEnd(std::string_view word, std::size_t at) const;
  std::optional<int32_t> Find(std::string_view bytes) const;

  Vocabulary vocabulary_;
  UnigramTrie pieces_;
  std::size_t piece_bytes_max_;  // Of a piece or an unknown character.
  double unknown_score_;
  int32_t unknown_id_;  // kDropped: there is none.
  bool bytes_are_characters_;
  std::vector<ByteFallback> byte_fallback_;  // By byte; empty: off.
};

}  // namespace text
