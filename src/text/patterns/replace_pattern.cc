#include "text/patterns/replace_pattern.h"

#include <array>
#include <span>
#include <vector>

#include "text/patterns/regex.h"
#include "text/unicode/code_point_set.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

/// Finds a string. An empty one is found in front of each character and at the end.
class StringPattern final : public ReplacePattern {
 public:
  explicit StringPattern(std::string_view string) : string_(string) {}

  void ForEachMatch(std::string_view text, RegexScratch&, Visit visit) const override {
    if (string_.empty()) return ForEachBoundary(text, visit);
    for (std::size_t at = 0; (at = text.find(string_, at)) != std::string_view::npos;) {
      visit(at, at + string_.size());
      at += string_.size();
    }
  }

  // Only where the two characters stand side by side in the string can a match reach across.
  bool CanCut(std::string_view text, std::size_t at) const override {
    if (string_.empty()) return false;
    const std::size_t begin = at - LastCodePointSize(text.substr(0, at));
    std::size_t end = at;
    DecodeUtf8(text, end);
    return string_.find(text.substr(begin, end - begin)) == std::string::npos;
  }

  std::optional<char> SingleByte() const override {
    return string_.size() == 1 ? std::optional(string_[0]) : std::nullopt;
  }

 private:
  static void ForEachBoundary(std::string_view text, Visit visit) {
    if (text.empty()) return;
    for (std::size_t at = 0; at < text.size(); DecodeUtf8(text, at)) visit(at, at);
    visit(text.size(), text.size());
  }

  std::string string_;
};

/// Finds runs of characters of a set, as long as possible.
class RunPattern final : public ReplacePattern {
 public:
  RunPattern(std::span<const CodePointRange> characters, std::size_t size_min)
      : characters_(characters), size_min_(size_min) {}

  void ForEachMatch(std::string_view text, RegexScratch&, Visit visit) const override {
    std::size_t begin = 0, size = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t here = at;
      if (characters_.Contains(DecodeUtf8(text, at))) {
        if (size++ == 0) begin = here;
      } else {
        if (size >= size_min_) visit(begin, here);
        size = 0;
      }
    }
    if (size >= size_min_) visit(begin, text.size());
  }

  bool CanCut(std::string_view text, std::size_t at) const override {
    return !characters_.Contains(LastCodePoint(text.substr(0, at))) ||
           !characters_.Contains(DecodeUtf8(text, at));
  }

 private:
  CodePointSet characters_;
  std::size_t size_min_;
};

/// Finds what a regular expression matches. How far that looks around is not known.
class RegexPattern final : public ReplacePattern {
 public:
  explicit RegexPattern(Regex regex) : regex_(std::move(regex)) {}

  void ForEachMatch(std::string_view text, RegexScratch& scratch, Visit visit) const override {
    // The library finds no match, not even an empty one, in an empty text.
    if (!text.empty()) regex_.ForEachMatch(text, scratch, visit);
  }
  bool CanCut(std::string_view, std::size_t) const override { return false; }

 private:
  Regex regex_;
};

constexpr CodePointRange kSpace[] = {{U' ', U' '}};

/// The regular expressions that occur in the files of well-known models, which need no search.
struct KnownRun {
  std::string_view regex;
  std::span<const CodePointRange> characters;
  std::size_t size_min;
};

std::array<KnownRun, 4> KnownRuns() {
  return {{{" {2,}", kSpace, 2},
           {" +", kSpace, 1},
           {"\\s{2,}", kWhitespace, 2},
           {"\\s+", kWhitespace, 1}}};
}

}  // namespace

absl::StatusOr<std::unique_ptr<ReplacePattern>> ReplacePattern::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"String", "Regex"}));
  if (json.Has("String") == json.Has("Regex")) {
    return json.Expected("an object with one of the keys \"String\" and \"Regex\"");
  }
  if (json.Has("String")) {
    ASSIGN_OR_RETURN(const std::string_view string, json.String("String"));
    return std::make_unique<StringPattern>(string);
  }
  ASSIGN_OR_RETURN(const std::string_view regex, json.String("Regex"));
  for (const KnownRun& run : KnownRuns()) {
    if (regex == run.regex) return std::make_unique<RunPattern>(run.characters, run.size_min);
  }
  absl::StatusOr<Regex> compiled = Regex::Compile(regex);
  if (compiled.ok()) return std::make_unique<RegexPattern>(*std::move(compiled));
  ASSIGN_OR_RETURN(const common::JsonView member, json.Member("Regex"));
  return member.Error(std::string(compiled.status().message()));
}

}  // namespace text
