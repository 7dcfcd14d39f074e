#pragma once

#include "ivy/api/job_endpoint.h"

namespace ivy {

/// POST /v1/embeddings, as OpenAI's API: input, model, encoding_format, dimensions; user is
/// ignored. Beyond it: vLLM's truncate_prompt_tokens, truncation_side and normalize (default: what
/// the model's files say), output_dtype, prompt_name, prompt, and outputs: which of dense, sparse
/// and colbert to give from one pass.
absl::StatusOr<Call> ParseOpenAiEmbeddings(const JsonBody& body, const ApiContext& context);

}  // namespace ivy
