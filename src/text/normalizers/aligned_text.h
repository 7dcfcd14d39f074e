#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"

namespace text {

/// Bytes [begin, end) of the text that the caller passed.
struct SourceSpan {
  uint32_t begin = 0, end = 0;

  bool operator==(const SourceSpan&) const = default;
};

/// A text on its way through normalizers that remembers, for each of its bytes, which bytes of the
/// original it stands for: Hugging Face's NormalizedString, with the same rules, so that offsets
/// come out the same. Only calls that ask for offsets pay for it.
class AlignedText {
 public:
  /// `original`, well-formed UTF-8, begins at byte `offset` of the caller's text. Every byte of a
  /// character stands for the whole character.
  explicit AlignedText(std::string_view original, uint32_t offset = 0);

  std::string_view bytes() const { return bytes_; }
  std::span<const SourceSpan> sources() const { return sources_; }

  /// One character of the new text. `change` as Hugging Face counts it: 0: it replaces the next
  /// old character; 1: it is inserted, and stands for what the byte before the place stands for;
  /// -n: it replaces the next old character and the n after it are removed.
  struct Change {
    char32_t character = 0;
    int change = 0;

    bool operator==(const Change&) const = default;
  };
  /// Replaces bytes [begin, end) by `changes`; `removed` old characters at the front of the range
  /// are removed before the first change.
  void Transform(std::size_t begin, std::size_t end, std::span<const Change> changes,
                 std::size_t removed = 0);

  /// Removes the characters that `keep` does not want.
  void Filter(absl::FunctionRef<bool(char32_t)> keep);
  /// Replaces each character by those, at least one, that `append` puts behind `out`; they all
  /// stand for what it stood for.
  void Expand(absl::FunctionRef<void(char32_t, std::string& out)> append);

  /// Some bytes of a text and what replaces them.
  struct Replacement {
    std::size_t begin = 0, end = 0;
    std::string_view bytes;
  };
  /// Makes `replacements`, which are in order and apart. The new bytes stand for what the last byte
  /// that they replace stood for; if there is none, for what the byte before the place stands for.
  void Replace(std::span<const Replacement> replacements);

 private:
  /// What a character inserted at byte `at` stands for.
  SourceSpan SourceBefore(std::size_t at) const { return at == 0 ? start_ : sources_[at - 1]; }

  std::string bytes_;
  std::vector<SourceSpan> sources_;  // One for each byte.
  SourceSpan start_;                 // The empty span in front of the original.
};

}  // namespace text
