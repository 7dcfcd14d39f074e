#pragma once

#include <memory>

namespace text {

/// What searches for a regular expression work in; any of them may use the same. One thread at a
/// time.
struct RegexScratch {
  std::shared_ptr<void> match;
};

}  // namespace text
