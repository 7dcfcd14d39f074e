#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/normalizers/aligned_text.h"
#include "text/patterns/regex_scratch.h"
#include "text/unicode/canonical_order.h"

namespace text {

/// What a normalizer works in, part of the caller's Scratch. Grows to what the largest text needs.
struct NormalizerScratch {
  CanonicalOrder marks;
  std::string texts[2];  ///< between the members of a Sequence
  std::vector<AlignedText::Change> changes;
  RegexScratch regex;
};

/// The first step: text → text in the form that the vocabulary was made for. Immutable.
class Normalizer {
 public:
  virtual ~Normalizer() = default;

  /// Appends the normal form of `text` (well-formed UTF-8) to `out`, which is well-formed too.
  /// Allocates nothing once `scratch` and `out` have grown. Time linear in the text.
  virtual void Normalize(std::string_view text, NormalizerScratch& scratch,
                         std::string& out) const = 0;

  /// The same for what lies behind a place where CanCut lets a text be cut.
  virtual void NormalizeRest(std::string_view text, NormalizerScratch& scratch,
                             std::string& out) const {
    Normalize(text, scratch, out);
  }

  /// The same on a text with its alignment: gives the same bytes. May be slow.
  virtual void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const = 0;

  /// Whether `text` may be cut before byte `at` (the first of a character, neither end): its two
  /// parts, normalized apart (the second one by NormalizeRest) and joined, give the normal form of
  /// the whole. Judged by the two characters beside the place alone: a Sequence asks about
  /// snippets. May be false where it is not sure; at least the blanks between words of ordinary
  /// text should do.
  virtual bool CanCut(std::string_view text, std::size_t at) const = 0;

  /// Whether every letter comes out in lower case.
  virtual bool LowerCases() const { return false; }
};

}  // namespace text
