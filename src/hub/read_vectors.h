#pragma once

#include <filesystem>
#include <optional>

#include "common/status.h"
#include "hub/model_folder.h"
#include "hub/modules.h"

namespace hub {

/// Sets what `model`, whose task is decided, gives besides scores: pooling, Dense modules,
/// normalisation, quantisation, dimension, sparse and ColBERT heads. `folder` holds config.json.
absl::Status ReadVectors(const std::filesystem::path& folder, const std::optional<Modules>& modules,
                         const OpenOptions& options, ModelFolder& model);

}  // namespace hub
