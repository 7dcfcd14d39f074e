#pragma once

#include <random>
#include <string>

#include "common/status.h"
#include "text/tokenizer.h"

namespace bench {

/// Makes texts of everyday words. One thread at a time.
class TextMaker {
 public:
  /// Without a tokenizer a length is a number of words; with one, which outlives this, of its
  /// tokens, special tokens included.
  explicit TextMaker(const text::Tokenizer* tokenizer) : tokenizer_(tokenizer) {}

  /// A text of exactly `length`. InvalidArgument if the tokenizer has none: special tokens alone
  /// are more, or words are.
  absl::StatusOr<std::string> Make(int length, std::mt19937_64& random);

 private:
  int CountTokens(std::string_view text);
  /// The longest start of `text`, in whole words, of at most `length` tokens.
  std::string CutTo(int length, const std::string& text);

  const text::Tokenizer* const tokenizer_;
  text::Scratch scratch_;
  std::vector<int32_t> ids_;
};

}  // namespace bench
