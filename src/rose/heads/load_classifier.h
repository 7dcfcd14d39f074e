#pragma once

#include <cstdint>
#include <memory>

#include "common/status.h"
#include "hub/model_folder.h"
#include "rose/heads/head.h"
#include "rose/loading/loader.h"

namespace rose {

/// The head of folder.classifier, under the names that the family's checkpoints give its tensors.
/// InvalidArgument if the family has no such head.
absl::StatusOr<std::unique_ptr<Head>> LoadClassifier(const hub::ModelFolder& folder,
                                                     int64_t hidden_size, Loader& load);

}  // namespace rose
