#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/normalizers/normalizer.h"

namespace text {

/// Prepend: puts something in front of a text that is not empty.
class PrependNormalizer final : public Normalizer {
 public:
  explicit PrependNormalizer(std::string_view prefix) : prefix_(prefix) {}

  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json);

  void Normalize(std::string_view text, NormalizerScratch& scratch,
                 std::string& out) const override;
  void NormalizeRest(std::string_view text, NormalizerScratch&, std::string& out) const override {
    out += text;
  }
  void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const override;
  bool CanCut(std::string_view, std::size_t) const override { return true; }

 private:
  std::string prefix_;
};

}  // namespace text
