#pragma once

#include "common/status.h"
#include "wire/inference.h"

namespace tulip {

/// Everything that can be wrong with a request, found before it is queued: behind this door batches
/// and steps are total. NotFound for another model's name, InvalidArgument for the rest; the
/// message names the sequence's index and the value ("sequence 2: length 600, expected 1 to 512").
absl::Status CheckRequest(const wire::InferenceRequest& request, const wire::ModelInfo& model);

}  // namespace tulip
