#include "bench/text_maker.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "bench/draw.h"

namespace bench {
namespace {

// Everyday words that the usual vocabularies hold whole, so that words and tokens are about one.
constexpr std::array<std::string_view, 64> kWords = {
    "after",  "air",    "animal",  "answer", "bird",    "blue",   "boat",    "book",
    "bridge", "child",  "city",    "cloud",  "cold",    "corner", "day",     "door",
    "earth",  "east",   "evening", "field",  "fire",    "fish",   "flower",  "forest",
    "green",  "hand",   "heart",   "hill",   "home",    "horse",  "island",  "king",
    "lake",   "letter", "light",   "line",   "market",  "moon",   "morning", "music",
    "night",  "north",  "ocean",   "paper",  "people",  "plant",  "rain",    "road",
    "room",   "salt",   "school",  "season", "ship",    "snow",   "stone",   "story",
    "street", "summer", "table",   "tree",   "village", "wind",   "winter",  "year"};

void Append(std::string_view word, std::string& text) {
  if (!text.empty()) text += ' ';
  text += word;
}

std::string DrawWords(int words, std::mt19937_64& random) {
  std::string text;
  for (int i = 0; i < words; ++i) {
    Append(kWords[static_cast<size_t>(Draw(random, 0, static_cast<int>(kWords.size())))], text);
  }
  return text;
}

/// Where the first 0, 1, 2 … words of `text` end.
std::vector<size_t> WordEnds(const std::string& text) {
  std::vector<size_t> ends = {0};
  for (size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at + 1)) {
    ends.push_back(at);
  }
  ends.push_back(text.size());
  return ends;
}

}  // namespace

absl::StatusOr<std::string> TextMaker::Make(int length, std::mt19937_64& random) {
  std::string text = DrawWords(length, random);  // A word is at least a token.
  if (tokenizer_ == nullptr) return text;
  text = CutTo(length, text);
  // The word that was cut may have had several tokens: shorter ones take its place.
  int tokens = CountTokens(text);
  for (size_t i = 0; i < kWords.size() && tokens < length; ++i) {
    std::string longer = text;
    Append(kWords[i], longer);
    const int tokens_of_longer = CountTokens(longer);
    if (tokens_of_longer <= tokens || tokens_of_longer > length) continue;
    text = std::move(longer);
    tokens = tokens_of_longer;
  }
  if (tokens == length && !text.empty()) return text;
  return absl::InvalidArgumentError(fmt::format(
      "the tokenizer makes no text of {} tokens of everyday words, {} special tokens included",
      length, tokenizer_->special_tokens()));
}

int TextMaker::CountTokens(std::string_view text) {
  ids_.clear();
  return static_cast<int>(tokenizer_->Encode(text, {}, scratch_, ids_));
}

std::string TextMaker::CutTo(int length, const std::string& text) {
  const std::vector<size_t> ends = WordEnds(text);
  size_t fits = 0, too_long = ends.size();
  while (too_long - fits > 1) {
    const size_t words = fits + (too_long - fits) / 2;
    const bool is_short = CountTokens(std::string_view(text).substr(0, ends[words])) <= length;
    (is_short ? fits : too_long) = words;
  }
  return text.substr(0, ends[fits]);
}

}  // namespace bench
