#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <ostream>
#include <string>

#include "common/status.h"

struct TokenizeOptions {
  std::filesystem::path tokenizer;  ///< a tokenizer.json, or the model folder that holds it
  bool no_special = false;          ///< leave out the post-processor's tokens
  bool jsonl = false;               ///< read the input instead of `text`
  std::optional<std::string> text;
};

/// `parterre tokenize`: writes one line {"ids":[…]} for `text`, or with `jsonl` for each line of
/// `in`, JSON objects with a string `text` (other keys are ignored), in order. A line that is none
/// is an error that names its number; nothing is written for it or for later ones.
absl::Status RunTokenize(const TokenizeOptions& options, std::istream& in, std::ostream& out);
