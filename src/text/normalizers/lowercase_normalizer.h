#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/normalizers/character_forms.h"
#include "text/normalizers/normalizer.h"
#include "text/unicode/characters.h"

namespace text {

/// Lowercase: Unicode 17's lower case, character by character, so without the rule of final sigma.
class LowercaseNormalizer final : public Normalizer {
 public:
  LowercaseNormalizer();

  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json);

  void Normalize(std::string_view text, NormalizerScratch& scratch,
                 std::string& out) const override;
  void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const override;
  bool CanCut(std::string_view, std::size_t) const override { return true; }
  bool LowerCases() const override { return true; }

 private:
  const Characters& characters_;
  CharacterForms forms_;
};

}  // namespace text
