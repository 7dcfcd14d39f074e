#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/normalizers/normalizer.h"
#include "text/unicode/code_point_set.h"

namespace text {

/// StripAccents: drops combining marks, more of them than BertNormalizer does, and decomposes
/// nothing.
class StripAccentsNormalizer final : public Normalizer {
 public:
  StripAccentsNormalizer() : marks_(kMarks) {}

  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json);

  void Normalize(std::string_view text, NormalizerScratch& scratch,
                 std::string& out) const override;
  void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const override;
  bool CanCut(std::string_view, std::size_t) const override { return true; }

 private:
  CodePointSet marks_;
};

}  // namespace text
