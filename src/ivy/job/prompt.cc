#include "ivy/job/prompt.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ivy {
namespace {

/// The prompt's own tokens and the special ones in front, not the one behind.
int CountTokens(const ServedModel& served, const std::string& prompt) {
  const text::Tokenizer& tokenizer = *served.tokenizer;
  text::Scratch scratch;
  std::vector<int32_t> with, without;
  text::EncodeOptions options;
  options.match_special_tokens = !served.plain_special;
  tokenizer.Encode(prompt, options, scratch, with);
  options.add_special_tokens = false;
  tokenizer.Encode(prompt, options, scratch, without);
  const auto begin = std::search(with.begin(), with.end(), without.begin(), without.end());
  return static_cast<int>(begin - with.begin()) + static_cast<int>(without.size());
}

}  // namespace

std::shared_ptr<const Prompt> MakePrompt(const ServedModel& served, std::string text) {
  if (text.empty()) return nullptr;
  const int tokens = CountTokens(served, text);
  return std::make_shared<const Prompt>(Prompt{.text = std::move(text), .tokens = tokens});
}

}  // namespace ivy
