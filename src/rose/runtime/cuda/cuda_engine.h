#pragma once

#include <memory>

#include "common/status.h"
#include "hub/model_folder.h"
#include "rose/runtime/engine.h"

namespace rose {

/// The engine of --device cuda:N. Errors name the file, tensor, key or flag, or what is missing for
/// the GPU to be used.
absl::StatusOr<std::unique_ptr<Engine>> MakeCudaEngine(const hub::ModelFolder& folder,
                                                       const EngineOptions& options);

/// Measures which kernels the model's products are fastest with on the device, in steps of up to
/// options.max_batch_tokens, and adds them to the file that options.tuning names.
absl::Status TuneCuda(const hub::ModelFolder& folder, const EngineOptions& options);

/// OK if `--device auto` may take a GPU: there is one, and a driver, that this program can use.
/// Else why not.
absl::Status FindUsableGpu();

}  // namespace rose
