#pragma once

#include <memory>
#include <string_view>

#include "common/status.h"
#include "hub/model_folder.h"
#include "rose/core/backend.h"
#include "rose/core/dtype.h"
#include "rose/models/model.h"
#include "rose/runtime/engine.h"

namespace rose {

/// The dtype that --dtype (auto | float32 | bfloat16) means on a device. Where the device does not
/// multiply bfloat16 itself (`native_bfloat16`), auto is float32 and an explicit bfloat16 is
/// InvalidArgument, naming --dtype and `isa`.
absl::StatusOr<DType> ChooseDType(std::string_view dtype, bool native_bfloat16,
                                  std::string_view isa);

/// Opens the folder's weights, or makes random ones (options.random_weights_seed), and loads the
/// model into `backend`, which must outlive it. No weight file stays mapped.
absl::StatusOr<std::unique_ptr<Model>> LoadModel(const hub::ModelFolder& folder,
                                                 const EngineOptions& options, Backend& backend);

/// The part of EngineInfo that every backend fills alike: what folder and model say,
/// what one step takes at most, and saturation_tokens = max_batch_tokens until a curve is measured.
/// Left to the backend: device, dtype, isa, memory_bytes.
EngineInfo DescribeModel(const hub::ModelFolder& folder, const EngineOptions& options,
                         const Model& model);

}  // namespace rose
