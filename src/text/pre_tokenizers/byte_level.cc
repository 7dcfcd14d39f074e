#include "text/pre_tokenizers/byte_level.h"

#include "text/pre_tokenizers/pattern_scanner.h"
#include "text/pre_tokenizers/word_prefix.h"

namespace text {

ByteLevel::ByteLevel(Options options)
    : add_prefix_space_(options.add_prefix_space),
      pattern_(options.use_regex ? PatternScanner::Gpt2() : nullptr) {}

absl::StatusOr<std::unique_ptr<PreTokenizer>> ByteLevel::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "add_prefix_space", "trim_offsets", "use_regex"}));
  Options options;
  ASSIGN_OR_RETURN(options.add_prefix_space, json.Bool("add_prefix_space"));
  RETURN_IF_ERROR(json.Bool("trim_offsets").status());
  if (json.Has("use_regex")) {
    ASSIGN_OR_RETURN(options.use_regex, json.Bool("use_regex"));
  }
  return std::make_unique<ByteLevel>(options);
}

void ByteLevel::Split(WorkText& text, PreTokenizerScratch& scratch,
                      std::vector<std::string_view>& words) const {
  if (add_prefix_space_) {
    PrefixWords(text, scratch, words, [](std::string_view word) { return word.front() != ' '; });
  }
  if (pattern_ != nullptr) pattern_->Split(text, scratch, words);
}

bool ByteLevel::CanCut(std::string_view text, std::size_t at) const {
  return pattern_ != nullptr && (!add_prefix_space_ || text[at] == ' ') &&
         pattern_->CanCut(text, at);
}

}  // namespace text
