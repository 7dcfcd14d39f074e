#pragma once

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/json_view.h"
#include "text/normalizers/normalizer.h"

namespace text {

/// Sequence: normalizers one after the other, each on what the one before it made.
class SequenceNormalizer final : public Normalizer {
 public:
  using Reader =
      absl::FunctionRef<absl::StatusOr<std::unique_ptr<Normalizer>>(const common::JsonView&)>;

  /// None of `members` is a Sequence.
  explicit SequenceNormalizer(std::vector<std::unique_ptr<Normalizer>> members)
      : members_(std::move(members)) {}

  /// `read` reads a member.
  static absl::StatusOr<std::unique_ptr<Normalizer>> FromJson(const common::JsonView& json,
                                                              Reader read);

  void Normalize(std::string_view text, NormalizerScratch& scratch,
                 std::string& out) const override;
  void NormalizeRest(std::string_view text, NormalizerScratch& scratch,
                     std::string& out) const override;
  void NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;
  bool LowerCases() const override;

 private:
  using Step = void (Normalizer::*)(std::string_view, NormalizerScratch&, std::string&) const;
  void Run(Step step, std::string_view text, NormalizerScratch& scratch, std::string& out) const;
  static absl::Status Read(const common::JsonView& json, Reader read,
                           std::vector<std::unique_ptr<Normalizer>>& members);

  std::vector<std::unique_ptr<Normalizer>> members_;
};

}  // namespace text
