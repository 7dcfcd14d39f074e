#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/normalizers/charsmap.h"
#include "text/normalizers/normalizer.h"
#include "text/unicode/code_point_table.h"
#include "text/unicode/grapheme.h"

namespace text {

/// Precompiled: the charsmap of a SentencePiece model (mostly NFKC and what looks like a blank) as
/// Hugging Face applies it, which is not SentencePiece's longest match: grapheme cluster by
/// cluster. A cluster below 6 bytes is replaced by the value of the shortest key that begins it,
/// whatever comes behind that key in the cluster; all else goes character by character.
class PrecompiledNormalizer final : public Normalizer {
 public:
  explicit PrecompiledNormalizer(Charsmap charsmap);

  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json);

  void Normalize(std::string_view text, NormalizerScratch& scratch,
                 std::string& out) const override;
  void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;

 private:
  /// What is known of a character: its GraphemeBreak, and above it the number of its value in
  /// values_, plus one; 0: it maps to itself.
  using Facts = uint32_t;
  static constexpr int kBreakBits = 5;
  static GraphemeBreak BreakOf(Facts facts) {
    return static_cast<GraphemeBreak>(facts & ((1u << kBreakBits) - 1));
  }
  /// The GraphemeBreak as a bit of a set; a character that has a value is in none.
  static uint32_t BitOf(Facts facts) { return facts >> kBreakBits == 0 ? 1u << facts : 0; }

  /// Calls replace(begin, end, value) for each part of `text` that is replaced, in order.
  template <typename Replace>
  void ForEachReplacement(std::string_view text, Replace replace) const;
  template <typename Replace>
  void ReplaceIn(std::string_view text, std::size_t begin, std::size_t end, bool mapped,
                 Replace replace) const;
  std::size_t SkipPlain(std::string_view text, std::size_t at) const;
  std::size_t SkipPrintable(std::string_view text, std::size_t at) const;

  void SetValues();

  Charsmap charsmap_;
  CodePointTable<Facts> facts_;
  std::vector<std::string_view> values_;  // Views into charsmap_.
  bool skips_printable_ = true;           // Whether ' ' to '~' map to themselves.
};

}  // namespace text
