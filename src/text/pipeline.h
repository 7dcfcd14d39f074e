#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/tokenizer_parts.h"
#include "text/word_table.h"

namespace text {

/// The tokenizer that a tokenizer.json describes: added tokens, normalizer, added tokens of the
/// normalized text, pre-tokenizer, model, post-processor.
class Pipeline final : public Tokenizer {
 public:
  explicit Pipeline(TokenizerParts parts);

  std::size_t Encode(std::string_view utf8, const EncodeOptions& options, Scratch& scratch,
                     std::vector<int32_t>& ids) const override;
  absl::StatusOr<std::size_t> EncodePair(std::string_view first, std::string_view second,
                                         const EncodeOptions& options, Scratch& scratch,
                                         std::vector<int32_t>& ids,
                                         std::vector<int32_t>& type_ids) const override;
  absl::StatusOr<Encoding> EncodeInDetail(std::string_view first,
                                          std::optional<std::string_view> second,
                                          const EncodeOptions& options,
                                          Scratch& scratch) const override;

  std::string Decode(std::span<const int32_t> ids, bool skip_special_tokens) const override;
  std::string_view PieceOf(int32_t id) const override;

  int special_tokens() const override { return special_tokens_; }
  int special_tokens_of_pair() const override { return special_tokens_of_pair_; }
  bool lower_cases() const override {
    return parts_.normalizer != nullptr && parts_.normalizer->LowerCases();
  }
  int vocabulary_size() const override { return parts_.ids_end; }
  std::string_view model_type() const override { return parts_.model->type(); }
  WordCounts word_counts() const override { return words_.counts(); }
  std::size_t memory_bytes() const override;

 private:
  /// One text on its way: where its ids go, and the length of `ids` at which it may stop.
  struct Call {
    Scratch::Buffers& buffers;
    std::vector<int32_t>& ids;
    std::size_t ids_max;
    bool plain_special;
    bool is_first = true;  ///< nothing of the text has been encoded yet

    bool done() const { return ids.size() >= ids_max; }
  };
  void EncodeText(std::string_view text, Call& call) const;
  void EncodePlain(std::string_view text, Call& call) const;
  /// `is_rest`: `text` goes on from another block.
  void EncodeBlock(std::string_view text, bool is_rest, Call& call) const;
  bool KeepsFirst(std::string_view text, Call& call) const;
  void EncodeNormalized(WorkText text, Call& call) const;
  std::size_t BlockSize(std::string_view text, Call& call) const;
  bool CanCut(std::string_view text, std::size_t at, Call& call) const;

  /// Appends the ids of `text`, no special tokens around them, and returns how many; with
  /// truncation on the right it may stop once there are more than `kept_max`.
  std::size_t EncodeUpTo(std::string_view text, std::size_t kept_max, const EncodeOptions& options,
                         Scratch& scratch, std::vector<int32_t>& ids) const;
  /// What is kept of a pair's texts, or of a single one, whose second text is empty.
  absl::StatusOr<PairLengths> KeptLengths(const PairLengths& lengths, int special_tokens,
                                          const EncodeOptions& options) const;

  const TokenizerParts parts_;
  int special_tokens_, special_tokens_of_pair_;
  std::vector<int32_t> prefix_, suffix_;  // Special tokens around a single text.
  bool may_cut_;                          // Whether long texts may be encoded in blocks.
  bool asks_for_first_;                   // Whether it matters that a normalizer drops the front.
  mutable WordTable words_;               // Its memory grows with use.
};

}  // namespace text
