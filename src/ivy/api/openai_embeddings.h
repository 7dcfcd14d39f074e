#pragma once

#include "ivy/api/embed_endpoint.h"

namespace ivy {

/// POST /v1/embeddings, as OpenAI's API: input, model, encoding_format, dimensions; user is
/// ignored. Of vLLM's extras: truncate_prompt_tokens, truncation_side, normalize.
absl::StatusOr<EmbedCall> ParseOpenAiEmbeddings(const Request& request,
                                                const EmbedContext& context);

}  // namespace ivy
