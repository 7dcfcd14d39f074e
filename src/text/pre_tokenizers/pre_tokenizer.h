#pragma once

#include <string_view>
#include <vector>

#include "text/pre_tokenizers/piece_form.h"
#include "text/pre_tokenizers/work_text.h"

namespace text {

/// The second step: normal text → words, which the model then splits one by one. Immutable.
///
/// Two forms of Hugging Face's are not written out, as that would only cost time; the vocabulary is
/// brought into the same form instead (piece_form.h):
/// - ByteLevel maps bytes to printable characters: here the bytes stay as they are.
/// - Metaspace writes U+2581 for a space: here it stays a space, and U+2581 becomes one.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;

  /// Splits each of `words` (views into `text`, in order, none empty; at first the whole text) into
  /// words, none of them empty. May change `text` and point it to a text in `scratch`; all words
  /// are then views into that. Time linear in the text; allocates nothing once all have grown.
  virtual void Split(WorkText& text, PreTokenizerScratch& scratch,
                     std::vector<std::string_view>& words) const = 0;

  /// Whether `text` may be cut before byte `at` (the first of a character, neither end): its two
  /// parts, split apart, give the words of the whole. May be false where it is not sure; at least
  /// the blanks between words of ordinary text should do.
  virtual bool CanCut(std::string_view text, std::size_t at) const = 0;

  /// Whether words depend on WorkText::is_first.
  virtual bool AsksForFirst() const { return false; }

  /// How pieces of the vocabulary stand in the words that come out.
  virtual PieceForm form() const { return {}; }
};

}  // namespace text
