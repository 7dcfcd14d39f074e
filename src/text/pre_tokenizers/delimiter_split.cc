#include "text/pre_tokenizers/delimiter_split.h"

#include <fmt/format.h>

#include <array>

namespace text {
namespace {

struct NamedBehavior {
  std::string_view name;
  DelimiterBehavior behavior;
};
constexpr std::array kBehaviors = {
    NamedBehavior{"Removed", DelimiterBehavior::kRemoved},
    NamedBehavior{"Isolated", DelimiterBehavior::kIsolated},
    NamedBehavior{"MergedWithPrevious", DelimiterBehavior::kMergedWithPrevious},
    NamedBehavior{"MergedWithNext", DelimiterBehavior::kMergedWithNext},
    NamedBehavior{"Contiguous", DelimiterBehavior::kContiguous},
};

/// Makes words of the parts of one word, matches and what lies between them, which come in order.
class Joiner {
 public:
  Joiner(std::string_view word, DelimiterSplit::Options options,
         std::vector<std::string_view>& words)
      : word_(word), options_(options), words_(words) {}

  /// Parts follow each other without gaps; empty ones count, though they make no word.
  void Add(std::size_t end, bool is_match) {
    const bool is_delimiter = is_match != options_.invert;
    if (!Joins(is_delimiter)) Emit();
    end_ = end;
    is_delimiter_ = is_delimiter;
  }
  void Finish() { Emit(); }

 private:
  /// Whether the next part goes into the word of the last one.
  bool Joins(bool is_delimiter) const {
    switch (options_.behavior) {
      case DelimiterBehavior::kRemoved:
      case DelimiterBehavior::kIsolated:
        return false;
      case DelimiterBehavior::kMergedWithPrevious:
        return is_delimiter && !is_delimiter_;
      case DelimiterBehavior::kMergedWithNext:
        return !is_delimiter && is_delimiter_;
      case DelimiterBehavior::kContiguous:
        return is_delimiter == is_delimiter_;
    }
    return false;
  }

  void Emit() {
    const bool removed = options_.behavior == DelimiterBehavior::kRemoved && is_delimiter_;
    if (begin_ < end_ && !removed) words_.push_back(word_.substr(begin_, end_ - begin_));
    begin_ = end_;
  }

  std::string_view word_;
  DelimiterSplit::Options options_;
  std::vector<std::string_view>& words_;
  std::size_t begin_ = 0, end_ = 0;  // The word in the making, and of what kind its last part is.
  bool is_delimiter_ = false;
};

}  // namespace

absl::StatusOr<DelimiterBehavior> ReadDelimiterBehavior(const common::JsonView& json,
                                                        std::string_view key) {
  ASSIGN_OR_RETURN(const common::JsonView member, json.Member(key));
  ASSIGN_OR_RETURN(const std::string_view name, member.AsString());
  std::string known;
  for (const NamedBehavior& entry : kBehaviors) {
    if (entry.name == name) return entry.behavior;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  }
  return member.Expected("one of " + known);
}

void DelimiterSplit::Split(WorkText&, PreTokenizerScratch& scratch,
                           std::vector<std::string_view>& words) const {
  scratch.words.swap(words);
  words.clear();
  for (const std::string_view word : scratch.words) {
    Joiner joiner(word, options_, words);
    std::size_t done = 0;
    pattern_->ForEachMatch(word, scratch, [&](std::size_t begin, std::size_t end) {
      if (done < begin) joiner.Add(begin, false);
      joiner.Add(end, true);
      done = end;
    });
    if (done < word.size()) joiner.Add(word.size(), false);
    joiner.Finish();
  }
}

bool DelimiterSplit::CanCut(std::string_view text, std::size_t at) const {
  const bool before = pattern_->MatchesBefore(text, at), behind = pattern_->MatchesAt(text, at);
  switch (options_.behavior) {
    case DelimiterBehavior::kRemoved:
    case DelimiterBehavior::kIsolated:
      return before || behind;
    case DelimiterBehavior::kMergedWithPrevious:
      return options_.invert ? behind : before;
    case DelimiterBehavior::kMergedWithNext:
      return options_.invert ? before : behind;
    case DelimiterBehavior::kContiguous:
      return before != behind;
  }
  return false;
}

}  // namespace text
