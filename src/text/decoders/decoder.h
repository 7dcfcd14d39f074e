#pragma once

#include <string>
#include <vector>

namespace text {

/// The way back: pieces as the vocabulary writes them → text. Immutable.
class Decoder {
 public:
  virtual ~Decoder() = default;

  /// Rewrites the pieces of a text, which are joined in the end; bytes that are no UTF-8 become
  /// U+FFFD where Hugging Face puts it.
  virtual void Decode(std::vector<std::string>& pieces) const = 0;
};

}  // namespace text
