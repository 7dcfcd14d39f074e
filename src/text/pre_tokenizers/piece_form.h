#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace text {

/// How the pieces of a vocabulary, as tokenizer.json writes them, stand in the words that a model
/// gets (see pre_tokenizers/pre_tokenizer.h).
struct PieceForm {
  enum class Kind {
    kPlain,      ///< as they are
    kByteLevel,  ///< GPT-2's printable characters stand for bytes
    kMetaspace,  ///< `space` stands for a space
  };
  Kind kind = Kind::kPlain;
  std::string space = "\u2581";

  /// The bytes of `piece` as they stand in words; nothing if no word can hold it: a character that
  /// stands for no byte, or a space where `space` stands for one.
  std::optional<std::string> ToWordBytes(std::string_view piece) const;
};

}  // namespace text
