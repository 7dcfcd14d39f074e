#pragma once

#include <memory>

#include "ivy/api/json_body.h"
#include "ivy/job/job.h"

// Fields that several routes have in common. Errors name the field.

namespace ivy {

/// TEI's truncate and truncation_direction.
absl::Status ReadTeiTruncation(const JsonBody& body, Job& job);

/// vLLM's truncate_prompt_tokens (-1 cuts at the model's limit, n at n tokens) and truncation_side.
/// `pairs`: the inputs are pairs.
absl::Status ReadVllmTruncation(const JsonBody& body, bool pairs, Job& job);

/// The prompt that prompt_name or prompt (a text of the client's own) asks for, else the model's
/// default one; null: none.
absl::StatusOr<std::shared_ptr<const Prompt>> ReadPrompt(const JsonBody& body, const Model& model);

/// The same for a job whose inputs have been read. A prompt is text, so it cannot stand in front of
/// token ids: asked for that is an error, and the model's default prompt is left out.
absl::Status ReadPrompt(const JsonBody& body, Job& job);

/// dimensions: 1 to the model's; nothing where no dense output is asked for.
absl::Status ReadDimensions(const JsonBody& body, Job& job);

}  // namespace ivy
