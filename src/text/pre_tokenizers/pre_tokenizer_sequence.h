#pragma once

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/json_view.h"
#include "text/pre_tokenizers/pre_tokenizer.h"

namespace text {

/// Sequence: each pre-tokenizer splits the words of the one before. As the forms of ByteLevel and
/// Metaspace are not written out (see PreTokenizer), nothing may follow either.
class PreTokenizerSequence final : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(std::vector<std::unique_ptr<PreTokenizer>> members)
      : members_(std::move(members)) {}

  using Reader =
      absl::FunctionRef<absl::StatusOr<std::unique_ptr<PreTokenizer>>(const common::JsonView&)>;
  /// `reader` reads the members.
  static absl::StatusOr<std::unique_ptr<PreTokenizer>> FromJson(const common::JsonView& json,
                                                                Reader reader);

  void Split(WorkText& text, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;
  bool AsksForFirst() const override;
  PieceForm form() const override;

 private:
  std::vector<std::unique_ptr<PreTokenizer>> members_;
};

}  // namespace text
