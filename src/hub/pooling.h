#pragma once

#include <cstdint>
#include <optional>

#include "common/status.h"
#include "hub/config.h"
#include "hub/model_folder.h"

namespace hub {

/// Reads a Pooling module's config.json in both layouts of sentence-transformers: the flags
/// `pooling_mode_…` of the older ones, and `pooling_mode` (one name or a list) since version 6.
/// InvalidArgument names the file if no mode is on, a mode is unknown, or the dimension it gives is
/// not the model's `hidden_size` (where known).
absl::StatusOr<Pooling> ReadPooling(const Config& config, std::optional<int64_t> hidden_size);

}  // namespace hub
