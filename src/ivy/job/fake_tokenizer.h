#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "text/tokenizer.h"

// For tests: a tokenizer that needs no file.

namespace ivy {

/// Words between spaces are tokens, [CLS] 1 in front and [SEP] 2 behind; a word's id depends on its
/// bytes alone. "@" is dropped, so a text of it has no tokens of its own. A pair is
/// [CLS] a [SEP] b [SEP], the second text and what follows it of type 1.
class FakeTokenizer final : public text::Tokenizer {
 public:
  static constexpr int kVocabulary = 1000;
  static constexpr std::size_t kMemoryBytes = 4096;

  explicit FakeTokenizer(bool special = true) : special_(special) {
    for (int id = 0; id < kVocabulary; ++id) pieces_.push_back(fmt::format("w{}", id));
    pieces_[1] = "[CLS]";
    pieces_[2] = "[SEP]";
  }

  std::size_t Encode(std::string_view utf8, const text::EncodeOptions& options, text::Scratch&,
                     std::vector<int32_t>& ids) const override {
    std::vector<int32_t> words = WordsOf(utf8);
    const bool special = special_ && options.add_special_tokens;
    const std::size_t extra = special ? 2 : 0, tokens = words.size() + extra;
    if (options.max_length > 0 && tokens > static_cast<std::size_t>(options.max_length)) {
      Cut(static_cast<std::size_t>(options.max_length) - extra, options.truncation_side, words);
    }
    if (special) ids.push_back(1);
    ids.insert(ids.end(), words.begin(), words.end());
    if (special) ids.push_back(2);
    return tokens;
  }

  absl::StatusOr<std::size_t> EncodePair(std::string_view first, std::string_view second,
                                         const text::EncodeOptions& options, text::Scratch&,
                                         std::vector<int32_t>& ids,
                                         std::vector<int32_t>& type_ids) const override {
    std::vector<int32_t> a = WordsOf(first), b = WordsOf(second);
    const std::size_t tokens = a.size() + b.size() + 3;
    if (options.max_length > 0) {
      const std::size_t room = static_cast<std::size_t>(options.max_length) - 3;
      ASSIGN_OR_RETURN(const text::PairLengths kept,
                       text::Truncate({.first = a.size(), .second = b.size()}, room,
                                      options.truncation_strategy));
      Cut(kept.first, options.truncation_side, a);
      Cut(kept.second, options.truncation_side, b);
    }
    const std::size_t begin = ids.size();
    ids.push_back(1);
    ids.insert(ids.end(), a.begin(), a.end());
    ids.push_back(2);
    type_ids.resize(type_ids.size() + ids.size() - begin, 0);
    ids.insert(ids.end(), b.begin(), b.end());
    ids.push_back(2);
    type_ids.resize(type_ids.size() + b.size() + 1, 1);
    return tokens;
  }

  absl::StatusOr<text::Encoding> EncodeInDetail(std::string_view first,
                                                std::optional<std::string_view>,
                                                const text::EncodeOptions& options,
                                                text::Scratch&) const override {
    text::Encoding encoding;
    const auto add = [&](int32_t id, uint32_t begin, uint32_t end, bool special) {
      encoding.ids.push_back(id);
      encoding.type_ids.push_back(0);
      encoding.offsets.push_back({.begin = begin, .end = end});
      encoding.special.push_back(special);
    };
    if (options.add_special_tokens) add(1, 0, 0, true);
    uint32_t at = 0;  // code points
    while (!first.empty()) {
      const std::string_view word = first.substr(0, std::min(first.find(' '), first.size()));
      const auto length = static_cast<uint32_t>(text::CountCodePoints(word));
      if (!word.empty() && word != "@") add(IdOf(word), at, at + length, false);
      first.remove_prefix(std::min(word.size() + 1, first.size()));
      at += length + 1;
    }
    if (options.add_special_tokens) add(2, 0, 0, true);
    return encoding;
  }

  std::string Decode(std::span<const int32_t> ids, bool skip_special_tokens) const override {
    std::string text;
    for (const int32_t id : ids) {
      if (skip_special_tokens && (id == 1 || id == 2)) continue;
      text.append(text.empty() ? "" : " ").append(PieceOf(id));
    }
    return text;
  }
  std::string_view PieceOf(int32_t id) const override {
    return pieces_[static_cast<std::size_t>(id)];
  }
  int special_tokens() const override { return special_ ? 2 : 0; }
  int special_tokens_of_pair() const override { return special_ ? 3 : 0; }
  int vocabulary_size() const override { return kVocabulary; }
  /// None is remembered.
  text::WordCounts word_counts() const override { return {.words = words_, .split = words_}; }
  std::size_t memory_bytes() const override { return kMemoryBytes; }

  static int32_t IdOf(std::string_view word) {
    uint32_t hash = 0;
    for (const char c : word) hash = hash * 31 + static_cast<unsigned char>(c);
    return static_cast<int32_t>(3 + hash % (kVocabulary - 3));
  }

 private:
  std::vector<int32_t> WordsOf(std::string_view utf8) const {
    std::vector<int32_t> words;
    while (!utf8.empty()) {
      const std::size_t end = std::min(utf8.find(' '), utf8.size());
      if (end > 0 && utf8.substr(0, end) != "@") words.push_back(IdOf(utf8.substr(0, end)));
      utf8.remove_prefix(std::min(end + 1, utf8.size()));
    }
    words_ += words.size();
    return words;
  }
  static void Cut(std::size_t kept, text::TruncationSide side, std::vector<int32_t>& words) {
    const auto cut = static_cast<std::ptrdiff_t>(words.size() - kept);
    side == text::TruncationSide::kRight ? words.erase(words.end() - cut, words.end())
                                         : words.erase(words.begin(), words.begin() + cut);
  }

  const bool special_;
  std::vector<std::string> pieces_;
  mutable std::atomic<uint64_t> words_{0};
};

}  // namespace ivy
