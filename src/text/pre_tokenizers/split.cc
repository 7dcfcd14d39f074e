#include "text/pre_tokenizers/split.h"

#include "text/pre_tokenizers/character_pattern.h"
#include "text/pre_tokenizers/delimiter_split.h"
#include "text/pre_tokenizers/pattern_scanner.h"
#include "text/pre_tokenizers/regex_pattern.h"

namespace text {
namespace {

/// Whether a pattern that leaves nothing between its matches makes a word of each.
bool MakesWordsOfMatches(const DelimiterSplit::Options& options) {
  return options.behavior == DelimiterBehavior::kIsolated ||
         (options.behavior == DelimiterBehavior::kRemoved && options.invert);
}

absl::StatusOr<std::unique_ptr<PreTokenizer>> SplitByRegex(const common::JsonView& json,
                                                           DelimiterSplit::Options options) {
  ASSIGN_OR_RETURN(const std::string_view regex, json.AsString());
  if (MakesWordsOfMatches(options)) {
    if (auto scanner = PatternScanner::For(regex); scanner != nullptr) return scanner;
  }
  auto compiled = Regex::Compile(regex);
  if (!compiled.ok()) return json.Error(std::string(compiled.status().message()));
  return std::make_unique<DelimiterSplit>(std::make_unique<RegexPattern>(*std::move(compiled)),
                                          options);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadSplit(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "pattern", "behavior", "invert"}));
  DelimiterSplit::Options options;
  ASSIGN_OR_RETURN(options.behavior, ReadDelimiterBehavior(json, "behavior"));
  ASSIGN_OR_RETURN(options.invert, json.Bool("invert"));
  ASSIGN_OR_RETURN(const common::JsonView pattern, json.Member("pattern"));
  RETURN_IF_ERROR(pattern.ExpectKeys({"String", "Regex"}));
  if (pattern.Has("Regex")) {
    ASSIGN_OR_RETURN(const common::JsonView regex, pattern.Member("Regex"));
    return SplitByRegex(regex, options);
  }
  ASSIGN_OR_RETURN(const common::JsonView member, pattern.Member("String"));
  ASSIGN_OR_RETURN(const std::string_view string, member.AsString());
  if (string.empty()) return member.Expected("a string that is not empty");
  return std::make_unique<DelimiterSplit>(std::make_unique<StringPattern>(string), options);
}

}  // namespace text
