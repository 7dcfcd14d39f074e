#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/normalizers/normalizer.h"

namespace text {

/// Nmt: drops some control characters and makes others, and some format characters, spaces.
class NmtNormalizer final : public Normalizer {
 public:
  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json);

  void Normalize(std::string_view text, NormalizerScratch& scratch,
                 std::string& out) const override;
  void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const override;
  bool CanCut(std::string_view, std::size_t) const override { return true; }
};

}  // namespace text
