#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/normalizers/aligned_text.h"
#include "text/unicode/canonical_order.h"
#include "text/unicode/characters.h"
#include "text/unicode/code_point_table.h"
#include "text/unicode/compatibility.h"
#include "text/unicode/compositions.h"

namespace text {

/// One of the four normalization forms of Unicode Standard Annex #15, with Unicode 9.0 data: marks
/// that later versions added have class 0.
class NormalForm {
 public:
  enum Kind { kNfd, kNfc, kNfkd, kNfkc };
  static const NormalForm& Get(Kind kind);

  /// What is special about a character; one of which nothing is stays as it is and keeps its
  /// neighbours apart.
  enum Role : uint8_t {
    kChanged = 1 << 0,    ///< never stays as it is
    kMark = 1 << 1,       ///< its combining class is above 0
    kSecond = 1 << 2,     ///< may be joined to what stands before it
    kJoins = 1 << 3,      ///< its first part is a kMark or kSecond: no boundary before it
    kDecomposes = 1 << 4  ///< its canonical decomposition is another, even if it stays
  };
  uint8_t roles(char32_t c) const { return roles_[c]; }

  uint8_t combining_class(char32_t c) const { return characters_.combining_class(c); }
  char32_t Compose(char32_t first, char32_t second) const {
    return compositions_.Compose(first, second);
  }

  /// Appends the normal form of `text`, which may join nothing before or behind it, as changes of
  /// its characters. Linear.
  void Append(std::string_view text, CanonicalOrder& marks,
              std::vector<AlignedText::Change>& changes) const;

 private:
  explicit NormalForm(Kind kind);

  template <typename Visit>
  void ForEachPart(char32_t c, Visit visit) const;
  void AppendDecomposed(std::string_view text, CanonicalOrder& marks,
                        std::vector<AlignedText::Change>& changes) const;
  void ComposeFrom(std::size_t begin, std::vector<AlignedText::Change>& changes) const;

  const bool compatibility_, composed_;
  const Characters& characters_;
  const Compositions& compositions_;
  const Compatibility& compatibilities_;
  CodePointTable<uint8_t> roles_;
};

}  // namespace text
