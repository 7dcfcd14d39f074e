#pragma once

#include "ivy/api/job_endpoint.h"

// What the tokenizer of a model makes of texts and ids; no model runs.

namespace ivy {

/// POST /tokenize in either of two shapes. text-embeddings-inference's: inputs (a string or a
/// list), add_special_tokens (default true), prompt_name, prompt; of each input a list of {id,
/// text, special, start, stop}, places in code points of the text with its prompt, null for special
/// tokens. vLLM's: prompt, add_special_tokens, return_token_strs; {count, max_model_len, tokens,
/// token_strs}.
absl::StatusOr<std::string> AnswerTokenize(const JsonBody& body, const ApiContext& context);

/// POST /decode, as text-embeddings-inference: ids (a list, or a list of lists),
/// skip_special_tokens (default true). A list of texts.
absl::StatusOr<std::string> AnswerDecode(const JsonBody& body, const ApiContext& context);

/// POST /detokenize, as vLLM: tokens. {prompt}, special tokens included.
absl::StatusOr<std::string> AnswerDetokenize(const JsonBody& body, const ApiContext& context);

}  // namespace ivy
