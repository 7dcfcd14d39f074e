#pragma once

#include <cstdint>
#include <memory>

#include "common/status.h"
#include "hub/model_folder.h"
#include "rose/heads/head.h"
#include "rose/loading/loader.h"

namespace rose {

/// The masked language model's head of folder.splade, under the names that the family's checkpoints
/// give its tensors; its matrix may be tied to the embeddings. InvalidArgument if the family has no
/// such head.
absl::StatusOr<std::unique_ptr<Head>> LoadSplade(const hub::ModelFolder& folder,
                                                 int64_t hidden_size, Loader& load);

}  // namespace rose
