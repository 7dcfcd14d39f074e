#pragma once

#include <cstdint>
#include <memory>

#include "common/status.h"
#include "hub/model_folder.h"
#include "hub/outputs.h"
#include "rose/heads/head.h"
#include "rose/loading/loader.h"
#include "rose/weights/weight_source.h"

namespace rose {

/// A head for each of folder.outputs. What belongs to the checkpoint is taken through `load`, whose
/// errors stick there; heads in files of their own are opened by `source`. Errors name the file and
/// the tensor.
absl::StatusOr<hub::PerOutput<std::unique_ptr<Head>>> LoadHeads(const hub::ModelFolder& folder,
                                                                int64_t hidden_size,
                                                                const WeightSource& source,
                                                                Loader& load);

}  // namespace rose
