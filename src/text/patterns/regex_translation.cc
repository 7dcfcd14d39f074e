#include "text/patterns/regex_translation.h"

#include <fmt/format.h>

#include "text/patterns/regex_sets.h"

namespace text {
namespace {

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  absl::StatusOr<RegexTranslation> Run() {
    while (at_ < pattern_.size()) RETURN_IF_ERROR(in_class_ ? ClassItem() : Item());
    return std::move(out_);
  }

 private:
  std::string_view rest() const { return pattern_.substr(at_); }
  absl::Status Error(std::string_view message) const { return RegexError(pattern_, at_, message); }

  /// Writes `text` for the next `consumed` bytes.
  void Put(std::string_view text, std::size_t consumed) {
    out_.pattern += text;
    out_.sources.resize(out_.pattern.size(), static_cast<uint32_t>(at_));
    at_ += consumed;
  }
  void Keep(std::size_t size) { Put(rest().substr(0, size), size); }

  void PutSet(const RegexSet& set, bool negated, std::size_t consumed) {
    if (in_class_) return Put(RegexClassBody(set, negated), consumed);
    Put(fmt::format("[{}{}]", negated ? "^" : "", RegexClassBody(set, false)), consumed);
  }

  absl::Status Item() {
    switch (rest().front()) {
      case '\\':
        return Escape();
      case '(':
        return Group();
      case '[':
        in_class_ = true;
        Keep(rest().starts_with("[^") ? 2 : 1);
        return absl::OkStatus();
      case '{':
        if (rest().starts_with("{,")) {
          Put("{0,", 2);
        } else {
          Keep(1);
        }
        return absl::OkStatus();
      case '}':
        if (rest().starts_with("}+")) return Error("\"}+\" is not known");
        Keep(1);
        return absl::OkStatus();
      default:
        Keep(1);
        return absl::OkStatus();
    }
  }

  absl::Status ClassItem() {
    if (rest().front() == '\\') return Escape();
    if (rest().front() == '[') return Error("\"[\" inside \"[…]\" is not known");
    if (rest().starts_with("&&")) return Error("\"&&\" is not known");
    if (rest().front() == ']') in_class_ = false;
    Keep(1);
    return absl::OkStatus();
  }

  absl::Status Group() {
    if (!rest().starts_with("(?")) {
      Keep(1);
      return absl::OkStatus();
    }
    const std::size_t end = rest().find_first_not_of("imx-", 2);
    if (end == 2 || end == std::string_view::npos) {
      Keep(2);
      return absl::OkStatus();
    }
    // Behind "a(?i)b|c" Ruby groups "b|c", PCRE2 does not; at the start that is the same.
    const char last = rest()[end];
    if (last != ':' && !(last == ')' && at_ == 0))
      return Error("flags are known in \"(?i:…)\" only");
    std::string group(rest().substr(0, end + 1));
    for (char& flag : group) {
      if (flag == 'm') flag = 's';  // Ruby's name for "a dot matches line breaks".
    }
    Put(group, group.size());
    return absl::OkStatus();
  }

  absl::Status Escape() {
    if (rest().size() < 2) return Error("nothing follows \"\\\"");
    const char letter = rest()[1];
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    if (const auto set = RegexSetOfEscape(is_upper ? static_cast<char>(letter - 'A' + 'a') : letter,
                                          in_class_)) {
      PutSet(*set, is_upper, 2);
    } else if (letter == 'p' || letter == 'P') {
      Property();
    } else if (letter == 'u') {
      if (rest().size() < 6) return Error("expected four hexadecimal digits behind \"\\u\"");
      Put(fmt::format("\\x{{{}}}", rest().substr(2, 4)), 6);
    } else if (letter == 'K') {
      return Error("\"\\K\" is not known");
    } else if (letter == 'v') {
      Put("\\x0b", 2);
    } else if (!in_class_ && (letter == 'b' || letter == 'B')) {
      const std::string word =
          fmt::format("[{}]", RegexClassBody(*RegexSetOfEscape('w', false), false));
      Put(letter == 'b' ? fmt::format("(?:(?<={0})(?!{0})|(?<!{0})(?={0}))", word)
                        : fmt::format("(?:(?<={0})(?={0})|(?<!{0})(?!{0}))", word),
          2);
    } else {
      Keep(2);
    }
    return absl::OkStatus();
  }

  void Property() {
    const std::size_t end = rest().find('}');
    if (end == std::string_view::npos || rest()[2] != '{') return Keep(2);
    std::string_view name = rest().substr(3, end - 3);
    bool negated = rest()[1] == 'P';
    if (name.starts_with('^')) {
      negated = !negated;
      name.remove_prefix(1);
    }
    if (const auto set = RegexSetOfProperty(name)) return PutSet(*set, negated, end + 1);
    if (!IsScriptName(name)) return Keep(end + 1);
    Put(fmt::format("\\{}{{sc:{}}}", negated ? 'P' : 'p', name), end + 1);
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  bool in_class_ = false;
  RegexTranslation out_;
};

}  // namespace

absl::StatusOr<RegexTranslation> TranslateRegex(std::string_view pattern) {
  return Translator(pattern).Run();
}

absl::Status RegexError(std::string_view pattern, std::size_t at, std::string_view message) {
  return absl::InvalidArgumentError(fmt::format("pattern {:?}, byte {}: {}", pattern, at, message));
}

}  // namespace text
