#pragma once

#include <istream>
#include <optional>
#include <ostream>
#include <string>

#include "common/status.h"

/// What the flags of `parterre tokenize` say. Names are the flags' names.
struct TokenizeOptions {
  std::string tokenizer;                   ///< a tokenizer.json, or its model's folder or hub id
  std::string revision = "main";           ///< of a model by id
  bool no_special = false;                 ///< leave out the post-processor's tokens
  bool plain_special = false;              ///< special tokens written in the text are plain text
  int max_length = 0;                      ///< tokens, special ones included; 0: no limit
  std::string truncation_side = "right";   ///< or "left"
  std::string strategy = "longest_first";  ///< or "only_first", "only_second"
  bool jsonl = false;                      ///< read the input instead of `text`
  int threads = 0;                         ///< that work on the lines; 0: one for each core
  std::optional<std::string> text;
};

/// `parterre tokenize`: writes id, piece and offsets of each token of `text`, a line each. With
/// `jsonl`, reads lines of `in`, JSON objects with a string `text` and perhaps a string `pair`
/// (other keys are ignored), and writes for each, in order, an object with `ids`, `type_ids` and
/// `offsets` (code points), or with `error` where a pair cannot be shortened as asked. A line that
/// is no such object is an error that names its number; nothing is written for it or later ones.
/// Lines that are there already are read some MiB at a time.
absl::Status RunTokenize(const TokenizeOptions& options, std::istream& in, std::ostream& out);
