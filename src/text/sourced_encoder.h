#pragma once

#include <string_view>
#include <vector>

#include "text/normalizers/aligned_text.h"
#include "text/scratch.h"
#include "text/tokenizer_parts.h"
#include "text/trimmed_offsets.h"

namespace text {

/// A token and the bytes of the caller's text that it stands for.
struct SourcedToken {
  int32_t id = 0;
  SourceSpan source;
  BlankEnds blanks;  ///< counted if the post-processor trims offsets
};

/// Encodes a text whole, following every byte through all steps: Pipeline's twin for those who ask
/// for offsets. Keeps no words in memory and does not care for speed.
class SourcedEncoder {
 public:
  /// `parts` must outlive it. With `plain_special`, special tokens in the text stay text.
  SourcedEncoder(const TokenizerParts& parts, bool plain_special, Scratch& scratch)
      : parts_(parts), plain_special_(plain_special), buffers_(scratch.buffers()) {}

  /// The tokens of `text`, no special tokens around them.
  std::vector<SourcedToken> Encode(std::string_view text);

 private:
  void EncodePlain(AlignedText text);
  void EncodeNormalized(const AlignedText& text, std::size_t begin, std::size_t end);
  /// Adds a token that stands in the vocabulary, or was found in the text, as `written`.
  void Append(int32_t id, SourceSpan source, std::string_view written);

  const TokenizerParts& parts_;
  const bool plain_special_;
  Scratch::Buffers& buffers_;
  std::vector<SourcedToken> tokens_;
};

}  // namespace text
