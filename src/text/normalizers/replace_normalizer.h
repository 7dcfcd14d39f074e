#pragma once

#include <memory>
#include <string>

#include "common/json_view.h"
#include "text/normalizers/normalizer.h"
#include "text/patterns/replace_pattern.h"

namespace text {

/// Replace: puts `content`, as it is, in the place of each match of a pattern.
class ReplaceNormalizer final : public Normalizer {
 public:
  ReplaceNormalizer(std::unique_ptr<ReplacePattern> pattern, std::string_view content)
      : pattern_(std::move(pattern)), content_(content) {}

  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json);

  void Normalize(std::string_view text, NormalizerScratch& scratch,
                 std::string& out) const override;
  void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const override;
  bool CanCut(std::string_view text, std::size_t at) const override {
    return pattern_->CanCut(text, at);
  }

 private:
  std::unique_ptr<ReplacePattern> pattern_;
  std::string content_;
};

}  // namespace text
