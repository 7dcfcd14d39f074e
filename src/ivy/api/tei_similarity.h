#pragma once

#include "ivy/api/job_endpoint.h"

namespace ivy {

/// POST /similarity, as text-embeddings-inference: inputs {source_sentence, sentences}, parameters
/// {truncate, truncation_direction, prompt_name}; also prompt among them, and model. The cosine of
/// each sentence to the source, in their order.
absl::StatusOr<Call> ParseTeiSimilarity(const JsonBody& body, const ApiContext& context);

}  // namespace ivy
