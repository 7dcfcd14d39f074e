#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace text {

/// The precompiled charsmap of a SentencePiece model: a double-array trie as the Darts-clone
/// library lays it out (Aoe 1989), from strings to strings. Immutable.
class Charsmap {
 public:
  /// `blob`: the trie's size in bytes (32 bits, little-endian), its units of 32 bits, then the
  /// values, each ended by NUL. Errors, InvalidArgument, say what is malformed.
  static absl::StatusOr<Charsmap> FromBlob(std::string_view blob);

  /// The value of the shortest key that begins `text`; what lies behind a NUL is not looked at.
  std::optional<std::string_view> Find(std::string_view text) const;

  /// Whether some key begins with `text`, or is what `text` begins with.
  bool Leads(std::string_view text) const;

  std::size_t memory_bytes() const {
    return units_.capacity() * sizeof(uint32_t) + values_.capacity();
  }

 private:
  Charsmap(std::vector<uint32_t> units, std::string values);

  absl::Status CheckValues() const;
  std::string_view ValueAt(uint32_t begin) const;

  std::vector<uint32_t> units_;
  std::string values_;  // UTF-8
};

}  // namespace text
