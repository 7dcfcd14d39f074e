#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/normalizers/normal_form.h"
#include "text/normalizers/normalizer.h"

namespace text {

/// NFC, NFD, NFKC and NFKD. A text that is in the form already, as nearly all are, is looked over
/// and copied (the quick check of Unicode Standard Annex #15, section 9, made exact by looking up
/// the pairs that could be joined); where it is not, only the stretch between the boundaries around
/// the place is normalized.
class UnicodeNormalizer final : public Normalizer {
 public:
  explicit UnicodeNormalizer(NormalForm::Kind kind) : form_(NormalForm::Get(kind)) {}

  template <NormalForm::Kind kKind>
  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json) {
    return FromJson(json, kKind);
  }

  void Normalize(std::string_view text, NormalizerScratch& scratch,
                 std::string& out) const override;
  void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;

 private:
  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json,
                                                              NormalForm::Kind kind);

  const NormalForm& form_;
};

}  // namespace text
