#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/normalizers/normalizer.h"
#include "text/unicode/code_point_set.h"

namespace text {

/// Strip: drops whitespace at the ends of the text.
class StripNormalizer final : public Normalizer {
 public:
  StripNormalizer(bool left, bool right);

  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json);

  void Normalize(std::string_view text, NormalizerScratch& scratch,
                 std::string& out) const override;
  void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;

 private:
  std::string_view Stripped(std::string_view text) const;

  bool left_, right_;
  CodePointSet whitespace_;
};

}  // namespace text
