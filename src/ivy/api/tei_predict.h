#pragma once

#include "ivy/api/job_endpoint.h"

namespace ivy {

/// POST /predict, as text-embeddings-inference: inputs, truncate, truncation_direction, raw_scores;
/// also model. The first element of inputs decides: "a" and ["a"] are one text, ["a", "b"] one
/// pair, [["a"], ["b", "c"]] a list of texts and pairs. Of each a list of {score, label}, the
/// highest first; of a single one, that list alone.
absl::StatusOr<Call> ParseTeiPredict(const JsonBody& body, const ApiContext& context);

}  // namespace ivy
