#pragma once

#include "ivy/api/job_endpoint.h"

// As text-embeddings-inference: inputs, truncate, truncation_direction, prompt_name; also prompt,
// and model where several are served.

namespace ivy {

/// POST /embed; also normalize (default true) and dimensions. Always a list of lists.
absl::StatusOr<Call> ParseTeiEmbed(const JsonBody& body, const ApiContext& context);

/// POST /embed_sparse: of each input, a list of {index, value}.
absl::StatusOr<Call> ParseTeiEmbedSparse(const JsonBody& body, const ApiContext& context);

/// POST /embed_all: of each input, the last hidden states of its tokens.
absl::StatusOr<Call> ParseTeiEmbedAll(const JsonBody& body, const ApiContext& context);

}  // namespace ivy
