#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/pre_tokenizers/pattern.h"
#include "text/pre_tokenizers/pre_tokenizer.h"

namespace text {

/// What becomes of the matches of a pattern, between which the rest lies.
enum class DelimiterBehavior {
  kRemoved,             ///< they go
  kIsolated,            ///< each is a word
  kMergedWithPrevious,  ///< each ends the word before it, unless that is a match too
  kMergedWithNext,      ///< each begins the word behind it, unless that is a match too
  kContiguous,          ///< runs of them are words
};

/// The behavior that the string at `key` names.
absl::StatusOr<DelimiterBehavior> ReadDelimiterBehavior(const common::JsonView& json,
                                                        std::string_view key);

/// Splits words at the matches of a pattern.
class DelimiterSplit final : public PreTokenizer {
 public:
  struct Options {
    DelimiterBehavior behavior = DelimiterBehavior::kIsolated;
    bool invert = false;  ///< the matches are the words, what lies between them the delimiters
  };
  DelimiterSplit(std::unique_ptr<Pattern> pattern, Options options)
      : pattern_(std::move(pattern)), options_(options) {}

  void Split(WorkText& text, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;

 private:
  std::unique_ptr<Pattern> pattern_;
  Options options_;
};

}  // namespace text
