#include "text/pre_tokenizers/category_splits.h"

#include "text/pre_tokenizers/character_pattern.h"
#include "text/pre_tokenizers/delimiter_split.h"
#include "text/unicode/utf8.h"

namespace text {

absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadDigits(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "individual_digits"}));
  ASSIGN_OR_RETURN(const bool individual, json.Bool("individual_digits"));
  return std::make_unique<DelimiterSplit>(
      std::make_unique<CategoryPattern>(kNumericCategory),
      DelimiterSplit::Options{.behavior = individual ? DelimiterBehavior::kIsolated
                                                     : DelimiterBehavior::kContiguous});
}

absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadPunctuation(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "behavior"}));
  DelimiterSplit::Options options;
  if (json.Has("behavior")) {
    ASSIGN_OR_RETURN(options.behavior, ReadDelimiterBehavior(json, "behavior"));
  }
  return std::make_unique<DelimiterSplit>(std::make_unique<CategoryPattern>(kPunctuationCategory),
                                          options);
}

absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadCharDelimiterSplit(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "delimiter"}));
  ASSIGN_OR_RETURN(const common::JsonView member, json.Member("delimiter"));
  ASSIGN_OR_RETURN(const std::string_view delimiter, member.AsString());
  if (CountCodePoints(delimiter) != 1) return member.Expected("one character");
  return std::make_unique<DelimiterSplit>(
      std::make_unique<StringPattern>(delimiter),
      DelimiterSplit::Options{.behavior = DelimiterBehavior::kRemoved});
}

}  // namespace text
