#pragma once

#include <memory>

#include "common/status.h"
#include "hub/model_folder.h"
#include "rose/cuda/cuda_backend.h"
#include "rose/cuda/device.h"
#include "rose/models/model.h"
#include "rose/runtime/cuda/cuda_pass.h"
#include "rose/runtime/engine.h"

namespace rose {

/// A model on a GPU and the pass that runs it: all that an engine needs and tuning works with.
struct LoadedModel {
  cuda::Device device;
  std::unique_ptr<cuda::CudaBackend> backend;
  std::unique_ptr<Model> model;
  std::unique_ptr<CudaPass> pass;
  EngineInfo info;

  /// Opens the device that options name and loads the folder's weights, with the choices that
  /// options.tuning names. Errors name the file, tensor, key or flag, or what is missing for the
  /// GPU to be used.
  static absl::StatusOr<LoadedModel> Load(const hub::ModelFolder& folder,
                                          const EngineOptions& options);
};

}  // namespace rose
