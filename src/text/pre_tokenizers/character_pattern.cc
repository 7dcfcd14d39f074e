#include "text/pre_tokenizers/character_pattern.h"

#include "text/unicode/utf8.h"

namespace text {

void CategoryPattern::ForEachMatch(std::string_view word, PreTokenizerScratch&, Visit visit) const {
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t begin = at;
    if ((categories_[DecodeUtf8(word, at)] & mask_) != 0) visit(begin, at);
  }
}

bool CategoryPattern::MatchesAt(std::string_view text, std::size_t at) const {
  return (categories_[DecodeUtf8(text, at)] & mask_) != 0;
}

bool CategoryPattern::MatchesBefore(std::string_view text, std::size_t at) const {
  return (categories_[LastCodePoint(text.substr(0, at))] & mask_) != 0;
}

void StringPattern::ForEachMatch(std::string_view word, PreTokenizerScratch&, Visit visit) const {
  for (std::size_t at = 0; (at = word.find(string_, at)) != std::string_view::npos;) {
    visit(at, at + string_.size());
    at += string_.size();
  }
}

// Longer strings may overlap themselves, and a cut may fall into one.
bool StringPattern::IsOneCharacter() const { return CountCodePoints(string_) == 1; }

bool StringPattern::MatchesAt(std::string_view text, std::size_t at) const {
  return IsOneCharacter() && text.substr(at).starts_with(string_);
}

bool StringPattern::MatchesBefore(std::string_view text, std::size_t at) const {
  return IsOneCharacter() && text.substr(0, at).ends_with(string_);
}

}  // namespace text
