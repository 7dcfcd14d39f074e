#pragma once

#include <memory>
#include <vector>

#include "text/added_tokens.h"
#include "text/decoders/decoder.h"
#include "text/models/model.h"
#include "text/normalizers/normalizer.h"
#include "text/post_processor.h"
#include "text/pre_tokenizers/pre_tokenizer.h"

namespace text {

/// What a tokenizer.json describes, in the order in which a text passes through.
struct TokenizerParts {
  std::unique_ptr<Normalizer> normalizer;       ///< may be null
  std::unique_ptr<PreTokenizer> pre_tokenizer;  ///< may be null
  std::unique_ptr<Model> model;
  std::vector<AddedToken> added_tokens;  ///< all, as the file has them
  AddedTokens raw_tokens;                ///< looked for in the text as it comes
  AddedTokens normalized_tokens;         ///< looked for in the normalized text, in normal form
  PostProcessor post_processor;
  std::unique_ptr<Decoder> decoder;  ///< may be null
  int32_t ids_end = 0;               ///< largest id of all parts, plus one
};

}  // namespace text
