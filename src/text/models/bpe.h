#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/json_view.h"
#include "text/models/bpe_characters.h"
#include "text/models/bpe_merge.h"
#include "text/models/bpe_queue.h"
#include "text/models/bpe_scratch.h"
#include "text/models/bpe_short_words.h"
#include "text/models/bpe_walk.h"
#include "text/models/model.h"
#include "text/models/vocabulary.h"
#include "text/pre_tokenizers/piece_form.h"

namespace text {

/// Byte pair encoding (Sennrich et al. 2016): the characters of a word are merged, two neighbours
/// at a time, in the order of a list of merges. BpeWalk finds the same without merging; BpeQueue
/// merges, for vocabularies that BpeWalk does not know: with pieces that are written otherwise
/// inside or at the end of words, or merges of pieces that stand for missing characters.
class Bpe final : public Model {
 public:
  struct Options {
    std::optional<std::string> unknown_piece;  ///< none: characters without a piece are left out
    bool fuses_unknown = false;
    bool byte_fallback = false;
    bool ignores_merges = false;    ///< for words that are pieces
    std::string continuing_prefix;  ///< of characters but for a word's first
    std::string end_suffix;         ///< of a word's last character
  };
  /// `merges` in the order of their ranks, with ids of `vocabulary`.
  Bpe(const Options& options, const PieceForm& form, Vocabulary vocabulary,
      const std::vector<BpeMerge>& merges);

  /// The object of type "BPE". Dropout and an unknown piece that is not in the vocabulary, but may
  /// be needed, are errors.
  static absl::StatusOr<std::unique_ptr<Model>> FromJson(const common::JsonView& json,
                                                         const PieceForm& form);

  void TokenizeWord(std::string_view word, ModelScratch& scratch,
                    std::vector<int32_t>& ids) const override;
  void TokenizeWord(std::string_view word, ModelScratch& scratch,
                    std::vector<Token>& tokens) const override;

  std::string_view type() const override { return "BPE"; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::size_t memory_bytes() const override;

  /// Whether words are encoded by BpeWalk.
  bool walks() const { return walk_.has_value(); }

  bool KeepsApart(std::string_view mark) const override;

 private:
  std::optional<int32_t> WholeWord(std::string_view word) const;
  template <typename Sink>
  void Encode(std::string_view word, BpeScratch& scratch, Sink& sink) const;
  template <typename Sink>
  void Walk(std::string_view word, BpeScratch& scratch, Sink& sink) const;
  std::string_view Present(std::string_view word, BpeScratch& scratch) const;
  void ReadSymbols(std::string_view word, BpeScratch& scratch) const;
  void PlaceInWord(std::string_view word, std::vector<Token>& tokens, std::size_t first) const;

  Options options_;
  Vocabulary vocabulary_;
  Vocabulary whole_words_;  // Pieces as they stand in words, if merges are ignored for these.
  BpeCharacters characters_;
  std::optional<BpeShortWords> short_words_;
  std::optional<BpeWalk> walk_;  // Else:
  std::optional<BpeQueue> queue_;
};

}  // namespace text
