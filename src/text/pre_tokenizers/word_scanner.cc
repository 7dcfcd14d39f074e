#include "text/pre_tokenizers/word_scanner.h"

#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr std::string_view kLongS = "\u017F";  // Folds to an s.

}  // namespace

WordScanner::WordScanner(const ScanRules& rules)
    : categories_(Categories::Get()),
      rules_(rules),
      letters_(rules.marks_are_letters ? kLetterCategory | kMarkCategory : kLetterCategory) {}

WordScanner::Character WordScanner::At(std::string_view text, std::size_t at) const {
  if (at == text.size()) return {kSpaceCategory, at};
  const uint8_t category = categories_[DecodeUtf8(text, at)];
  return {category, at};
}

std::size_t WordScanner::ContractionSize(std::string_view text, std::size_t at) const {
  const bool folds = !rules_.is_gpt2;
  const auto letter = [&](std::size_t i) {
    const char c = i < text.size() ? text[i] : '\0';
    return folds && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  switch (letter(at + 1)) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return letter(at + 2) == 'e' ? 3 : 0;
    case 'l':
      return letter(at + 2) == 'l' ? 3 : 0;
    default:
      return folds && text.substr(at + 1).starts_with(kLongS) ? 1 + kLongS.size() : 0;
  }
}

std::size_t WordScanner::WordEnd(std::string_view text, std::size_t at) const {
  if (text[at] == '\'') {
    if (const std::size_t size = ContractionSize(text, at); size != 0) return at + size;
  }
  if (rules_.is_gpt2) return Gpt2WordEnd(text, at);
  const Character first = At(text, at);
  if (IsLetter(first)) return LettersEnd(text, first.end);
  if (IsNumber(first)) return NumbersEnd(text, at);
  const Character second = At(text, first.end);
  if (!IsBreak(first) && IsLetter(second)) return LettersEnd(text, second.end);
  if (IsOther(first)) return OthersEnd(text, first.end);
  if (text[at] == ' ' && IsOther(second)) return OthersEnd(text, second.end);
  return SpacesEnd(text, at);
}

std::size_t WordScanner::Gpt2WordEnd(std::string_view text, std::size_t at) const {
  Character first = At(text, at);
  if (text[at] == ' ' && first.end < text.size()) first = At(text, first.end);
  if (IsLetter(first)) return LettersEnd(text, first.end);
  if (IsNumber(first)) {
    return RunEnd(text, first.end, [this](const Character& c) { return IsNumber(c); });
  }
  if (IsOther(first)) return OthersEnd(text, first.end);
  return SpacesEnd(text, at);
}

template <typename Belongs>
std::size_t WordScanner::RunEnd(std::string_view text, std::size_t at, Belongs belongs) const {
  while (at < text.size()) {
    Character next = {0, at};
    next.category = categories_[DecodeUtf8(text, next.end)];
    if (!belongs(next)) break;
    at = next.end;
  }
  return at;
}

std::size_t WordScanner::LettersEnd(std::string_view text, std::size_t at) const {
  return RunEnd(text, at, [this](const Character& c) { return IsLetter(c); });
}

std::size_t WordScanner::NumbersEnd(std::string_view text, std::size_t at) const {
  int count = 0;
  return RunEnd(text, at,
                [&](const Character& c) { return IsNumber(c) && count++ < rules_.digits_max; });
}

std::size_t WordScanner::OthersEnd(std::string_view text, std::size_t at) const {
  at = RunEnd(text, at, [this](const Character& c) { return IsOther(c); });
  if (rules_.is_gpt2) return at;
  return RunEnd(text, at, [this](const Character& c) { return IsBreak(c); });
}

std::size_t WordScanner::SpacesEnd(std::string_view text, std::size_t at) const {
  std::size_t end = at, last = at, break_end = at;  // `last`: where the last one begins
  while (end < text.size()) {
    const Character next = At(text, end);
    if (!IsSpace(next)) break;
    last = end;
    end = next.end;
    if (IsBreak(next)) break_end = end;
  }
  if (!rules_.is_gpt2 && break_end != at) return break_end;
  return end == text.size() || last == at ? end : last;
}

}  // namespace text
