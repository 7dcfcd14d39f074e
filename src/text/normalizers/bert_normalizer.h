#pragma once

#include <cstdint>
#include <memory>

#include "common/json_view.h"
#include "text/normalizers/character_forms.h"
#include "text/normalizers/normalizer.h"
#include "text/unicode/characters.h"

namespace text {

/// BertNormalizer: cleans, puts spaces around ideographs, strips accents (NFD, then without marks),
/// lowercases; in this order, in one pass. What a character becomes is kept in a table; only those
/// that may have to change places with others take the long way.
class BertNormalizer final : public Normalizer {
 public:
  struct Options {
    bool clean_text = true;
    bool handle_chinese_chars = true;
    bool strip_accents = true;
    bool lowercase = true;
  };
  explicit BertNormalizer(const Options& options);

  /// `strip_accents` null means: as `lowercase`.
  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json);

  void Normalize(std::string_view text, NormalizerScratch& scratch,
                 std::string& out) const override;
  void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;
  bool LowerCases() const override { return options_.lowercase; }

 private:
  void SetForms();
  void Append(char32_t c, NormalizerScratch& scratch, std::string& out) const;
  void AppendStripped(char32_t c, NormalizerScratch& scratch, std::string& out) const;
  void AppendCased(char32_t c, std::string& out) const;
  void FlushMarks(NormalizerScratch& scratch, std::string& out) const;

  Options options_;
  const Characters& characters_;
  uint8_t changed_ = 0;  // Traits of the characters that do not stay as they are.
  CharacterForms forms_;
};

}  // namespace text
