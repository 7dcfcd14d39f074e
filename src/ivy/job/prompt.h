#pragma once

#include <memory>
#include <string>

#include "ivy/job/served_model.h"

namespace ivy {

/// Text that is put in front of each input.
struct Prompt {
  std::string text;
  /// Tokens it takes at the start of a sequence, special tokens in front of it included, as
  /// sentence-transformers counts them: those of the prompt alone.
  int tokens = 0;
};

/// Null for an empty text: that is no prompt.
std::shared_ptr<const Prompt> MakePrompt(const ServedModel& served, std::string text);

}  // namespace ivy
