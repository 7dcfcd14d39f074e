#pragma once

#include <string_view>
#include <vector>

namespace text {

/// The second step: normal text → words, which the model then splits one by one. Immutable.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;

  /// Appends the words of `text` (well-formed UTF-8), views into it, none of them empty.
  virtual void Split(std::string_view text, std::vector<std::string_view>& words) const = 0;

  /// Whether texts may be cut before any space and split apart.
  virtual bool CutsAtBlanks() const = 0;
};

}  // namespace text
