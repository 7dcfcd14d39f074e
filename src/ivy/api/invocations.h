#pragma once

#include "ivy/api/job_endpoint.h"

namespace ivy {

/// POST /invocations, as text-embeddings-inference: what the model is for decides whether
/// the body is taken as that of /rerank, /predict, /embed or /embed_sparse.
absl::StatusOr<Call> ParseInvocation(const JsonBody& body, const ApiContext& context);

}  // namespace ivy
