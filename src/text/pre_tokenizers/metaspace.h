#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/pre_tokenizers/pre_tokenizer.h"

namespace text {

/// Metaspace: spaces become `replacement`, as does the front of a word that has none, and words
/// begin at each. Here all of these are spaces (see PreTokenizer).
class Metaspace final : public PreTokenizer {
 public:
  /// Where a space is put before a word.
  enum class Prepend {
    kAlways,
    kFirst,  ///< before the one that the caller's text begins with
    kNever,
  };
  struct Options {
    std::string replacement = "\u2581";  ///< one character
    Prepend prepend = Prepend::kAlways;
    bool split = true;
  };
  explicit Metaspace(Options options) : options_(std::move(options)) {}

  static absl::StatusOr<std::unique_ptr<PreTokenizer>> FromJson(const common::JsonView& json);

  void Split(WorkText& text, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;
  bool AsksForFirst() const override { return options_.prepend == Prepend::kFirst; }
  PieceForm form() const override {
    return {.kind = PieceForm::Kind::kMetaspace, .space = options_.replacement};
  }

  const Options& options() const { return options_; }

 private:
  /// Bytes of the space or replacement that `word` begins with; 0: another character.
  std::size_t SpaceSize(std::string_view word) const;
  void PrefixAll(WorkText& text, PreTokenizerScratch& scratch,
                 std::vector<std::string_view>& words) const;
  void SplitWord(WorkText& text, std::string_view word, std::vector<std::string_view>& words) const;
  std::string_view WriteSpaces(WorkText& text, std::string_view word) const;

  Options options_;
};

}  // namespace text
