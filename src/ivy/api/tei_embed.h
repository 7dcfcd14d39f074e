#pragma once

#include "ivy/api/embed_endpoint.h"

namespace ivy {

/// POST /embed, as text-embeddings-inference: inputs, truncate, truncation_direction, prompt_name,
/// normalize, dimensions; also model, where several are served. Always a list of lists.
absl::StatusOr<EmbedCall> ParseTeiEmbed(const Request& request, const EmbedContext& context);

}  // namespace ivy
