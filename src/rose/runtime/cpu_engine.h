#pragma once

#include <memory>

#include "common/status.h"
#include "hub/model_folder.h"
#include "rose/runtime/engine.h"

namespace rose {

/// The engine of --device cpu. Errors name the file, tensor, key or flag.
absl::StatusOr<std::unique_ptr<Engine>> MakeCpuEngine(const hub::ModelFolder& folder,
                                                      const EngineOptions& options);

}  // namespace rose
