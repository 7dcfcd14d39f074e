#pragma once

#include <memory>
#include <vector>

#include "text/added_tokens.h"
#include "text/model.h"
#include "text/normalizer.h"
#include "text/post_processor.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"

namespace text {

/// The tokenizer that a tokenizer.json describes: added tokens, normalizer, added tokens of the
/// normalized text, pre-tokenizer, model, post-processor.
class Pipeline final : public Tokenizer {
 public:
  struct Parts {
    std::unique_ptr<Normalizer> normalizer;       ///< may be null
    std::unique_ptr<PreTokenizer> pre_tokenizer;  ///< may be null
    std::unique_ptr<Model> model;
    AddedTokens raw_tokens;         ///< looked for in the text as it comes
    AddedTokens normalized_tokens;  ///< looked for in the normalized text, in normal form
    PostProcessor post_processor;
    int32_t ids_end = 0;  ///< largest id of all parts, plus one
  };
  explicit Pipeline(Parts parts);

  std::size_t Encode(std::string_view utf8, const EncodeOptions& options, Scratch& scratch,
                     std::vector<int32_t>& ids) const override;

  int special_tokens() const override { return parts_.post_processor.special_tokens(); }
  bool lower_cases() const override {
    return parts_.normalizer != nullptr && parts_.normalizer->LowerCases();
  }
  int vocabulary_size() const override { return parts_.ids_end; }

 private:
  /// One Encode call: where its ids go, and the length of `ids` at which it may stop.
  struct Call {
    Scratch::Buffers& buffers;
    std::vector<int32_t>& ids;
    std::size_t ids_max;
    bool plain_special;

    bool done() const { return ids.size() >= ids_max; }
  };
  void EncodeText(std::string_view text, Call& call) const;
  void EncodePlain(std::string_view text, Call& call) const;
  void EncodeBlock(std::string_view text, Call& call) const;
  void EncodeNormalized(std::string_view text, Call& call) const;

  Parts parts_;
  bool cuts_at_blanks_;  // Whether a text may be encoded in blocks that begin with blanks.
};

}  // namespace text
