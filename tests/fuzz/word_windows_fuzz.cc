#include <cstdio>
#include <string>
#include <vector>

#include "common/avx2.h"
#include "common/check.h"
#include "fuzz_input.h"
#include "text/pre_tokenizers/byte_window.h"
#include "text/pre_tokenizers/pattern_windows.h"
#include "text/pre_tokenizers/run_windows.h"
#include "text/pre_tokenizers/word_scanner.h"
#include "text/pre_tokenizers/work_text.h"
#include "text/unicode/categories.h"
#include "text/unicode/utf8.h"

// The words that are found 64 bytes at a time, with each instruction set, beside those that a loop
// over characters finds. The first byte says what lies around the text.

namespace {

using text::ByteWindow;
using text::WordWriter;
using Words = std::vector<std::string>;

bool HasAvx2() {
  static const bool has = [] {
    if (!common::HasAvx2()) std::fputs("skipped: this processor has no AVX2\n", stderr);
    return common::HasAvx2();
  }();
  return has;
}

/// A text with its spare byte and slack.
class Padded {
 public:
  Padded(std::string_view text, char around) : size_(text.size()), buffer_(1, around) {
    buffer_.append(text).append(text::WorkText::kSlack, around);
  }

  char* data() { return buffer_.data() + 1; }
  std::string_view view() const { return std::string_view(buffer_).substr(1, size_); }
  std::string whole() const { return buffer_; }

 private:
  std::size_t size_;
  std::string buffer_;
};

template <typename Find>
Words Written(const Find& find) {
  std::vector<std::string_view> words;
  {
    WordWriter writer(words);
    find(writer);
  }
  return {words.begin(), words.end()};
}

void CheckPatterns(const Padded& text) {
  static const text::WordScanner scanners[] = {
      text::WordScanner({}), text::WordScanner({.marks_are_letters = true}),
      text::WordScanner({.digits_max = 3}), text::WordScanner({.is_gpt2 = true})};
  for (const text::WordScanner& scanner : scanners) {
    Words expected;
    for (std::size_t begin = 0; begin < text.view().size();) {
      const std::size_t end = scanner.WordEnd(text.view(), begin);
      CHECK(begin < end && end <= text.view().size());
      expected.emplace_back(text.view().substr(begin, end - begin));
      begin = end;
    }
    CHECK(Written([&](WordWriter& words) {
            text::PatternWindows<ByteWindow>::Split(scanner, text.view(), words);
          }) == expected);
    if (!HasAvx2()) continue;
    CHECK(Written([&](WordWriter& words) {
            text::PatternWindowsAvx2::Split(scanner, text.view(), words);
          }) == expected);
  }
}

/// Runs between whitespace and, with `punctuation`, beside it.
Words PlainRuns(std::string_view text, bool punctuation) {
  const text::Categories& categories = text::Categories::Get();
  Words words;
  bool open = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const uint8_t category = categories[text::DecodeUtf8(text, at)];
    const bool space = (category & text::kSpaceCategory) != 0;
    const bool alone = punctuation && (category & text::kPunctuationCategory) != 0;
    if (space) {
      open = false;
      continue;
    }
    if (!open || alone) words.emplace_back();
    words.back() += text.substr(begin, at - begin);
    open = !alone;
  }
  return words;
}

void CheckRuns(const Padded& text) {
  using text::RunWindows;
  using text::RunWindowsAvx2;
  const Words between = PlainRuns(text.view(), false), beside = PlainRuns(text.view(), true);
  const auto runs = [&](auto scan) {
    return Written([&](WordWriter& words) { scan(text.view(), nullptr, words); });
  };
  CHECK(runs(RunWindows<ByteWindow>::Scan<false>) == between);
  CHECK(runs(RunWindows<ByteWindow>::Scan<true>) == beside);
  if (!HasAvx2()) return;
  CHECK(runs(RunWindowsAvx2::ScanBetweenSpaces) == between);
  CHECK(runs(RunWindowsAvx2::ScanBesidePunctuation) == beside);
}

/// The same words, each with a space in the place of the byte before it.
void CheckSpacedRuns(const Padded& text) {
  Words expected;
  for (const std::string& word : PlainRuns(text.view(), false)) expected.push_back(" " + word);
  const auto check = [&](auto scan) {
    Padded own = text;
    CHECK(Written([&](WordWriter& words) { scan(own.view(), own.data(), words); }) == expected);
    return own.whole();
  };
  const std::string narrow = check(text::RunWindows<ByteWindow>::Scan<false>);
  if (HasAvx2()) CHECK(check(text::RunWindowsAvx2::ScanBetweenSpaces) == narrow);
}

void CheckSpaces(const Padded& text) {
  const std::string_view view = text.view();
  if (view.empty()) return;
  Words expected;
  for (std::size_t begin = 0; begin < view.size();) {
    const std::size_t end = std::min(view.find(' ', begin + 1), view.size());
    expected.emplace_back(view.substr(begin, end - begin));
    begin = end;
  }
  const auto words = [&](auto scan) {
    return Written([&](WordWriter& writer) { scan(view, writer); });
  };
  CHECK(words(text::RunWindows<ByteWindow>::ScanAtSpaces) == expected);
  if (HasAvx2()) CHECK(words(text::RunWindowsAvx2::ScanAtSpaces) == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const char around = "s \n.1\xBF"[input.Take<uint8_t>() % 6];
  std::string valid;
  text::AppendValidUtf8(input.rest(), valid);
  const Padded text(valid, around);
  CheckPatterns(text);
  CheckRuns(text);
  CheckSpacedRuns(text);
  CheckSpaces(text);
  return 0;
}
