#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/unicode/code_point_table.h"

namespace text {

/// What a normalizer makes of each character that has nothing to do with its neighbours: ASCII at
/// 16 bytes a step, others by one look into a table.
class CharacterForms {
 public:
  /// ASCII: `cleans` makes spaces of tab, line feed and carriage return and drops other control
  /// characters.
  CharacterForms(bool cleans, bool lowers);

  /// Other characters stay as they are unless something else is said here, once and for all.
  /// Nothing is said of `c` by itself.
  void SetUnknown(char32_t c) { forms_.At(c) = kUnknown; }
  /// It stays, between two spaces.
  void SetSpaced(char32_t c) { forms_.At(c) = kSpaced; }
  /// A Hangul syllable becomes its letters.
  void SetSyllable(char32_t c) { forms_.At(c) = kSyllable; }
  /// It becomes `form`; unknown if that is too long to be kept.
  void Set(char32_t c, std::string_view form);
  /// All is said.
  void Finish() { forms_.ShareEqualPages(); }

  /// Appends the forms of what begins at byte `at` up to the first unknown character, whose place
  /// it returns; or it stops earlier, at the first character behind some hundred bytes.
  std::size_t Append(std::string_view text, std::size_t at, std::string& out) const;

 private:
  // A form is kept with its size, plus one, in the lowest byte and its bytes above; 0: it stays.
  static constexpr std::size_t kFormBytesMax = 7;
  static constexpr uint64_t kUnknown = 0x10, kSpaced = 0x20, kSyllable = 0x30;

  class Walk;

  bool cleans_;
  char lower_delta_;
  std::array<uint64_t, 128> ascii_;
  CodePointTable<uint64_t> forms_;
};

}  // namespace text
