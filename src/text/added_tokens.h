#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/json_view.h"
#include "text/models/trie.h"

namespace text {

/// A token that is found in the text before the vocabulary's pieces are.
struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool special = false;      ///< ignored where special tokens count as plain text
  bool normalized = false;   ///< looked for in the normalized text, in its own normal form
  bool lstrip = false;       ///< takes the whitespace on its left with it
  bool rstrip = false;       ///< takes the whitespace on its right with it
  bool single_word = false;  ///< not found beside a word character
};

/// Reads the list `added_tokens`.
absl::StatusOr<std::vector<AddedToken>> ReadAddedTokens(const common::JsonView& json);

/// Added tokens, ready to be found in texts. Immutable.
class AddedTokens {
 public:
  AddedTokens() = default;
  /// The contents are distinct and not empty.
  explicit AddedTokens(std::vector<AddedToken> tokens);

  bool empty() const { return tokens_.empty(); }

  /// Text between added tokens, or one of them with the whitespace that it takes. Never empty.
  struct Piece {
    std::string_view text;
    std::optional<int32_t> id;  ///< of a token
  };

  /// Walks over the pieces of a text from the left.
  class Scanner {
   public:
    /// With `plain_special`, special tokens stay text.
    Scanner(const AddedTokens& tokens, std::string_view text, bool plain_special)
        : tokens_(tokens), text_(text), plain_special_(plain_special) {}

    /// False behind the last piece.
    bool Next(Piece& piece);

   private:
    bool FindToken();

    const AddedTokens& tokens_;
    std::string_view text_;
    bool plain_special_;
    std::size_t searched_ = 0;  // Where the next search begins.
    std::size_t taken_ = 0;     // What lies before has been given out.
    // The token found last, if it was not given out yet: [begin_, end_) with stripped whitespace.
    std::optional<int32_t> found_;
    std::size_t begin_ = 0, end_ = 0;
  };

 private:
  struct Match {
    std::size_t begin = 0, size = 0;
    const AddedToken* token = nullptr;
  };
  /// The longest token at the first place at or behind `at` where any stands.
  std::optional<Match> Find(std::string_view text, std::size_t at) const;
  /// The first place at or behind `at` whose byte begins some content.
  std::size_t FindFirstByte(std::string_view text, std::size_t at) const;

  std::vector<AddedToken> tokens_;
  Trie contents_;
  std::array<bool, 256> begins_{};  // Bytes that some content begins with.
  std::vector<char> first_bytes_;   // The same, if they are few.
};

}  // namespace text
