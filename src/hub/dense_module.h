#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/status.h"
#include "hub/activation.h"

namespace hub {

/// A Dense module of sentence-transformers: activation(x · weightᵀ + bias).
struct DenseModule {
  std::string path;  ///< Below the model folder: "2_Dense".
  int64_t in_features = 0;
  int64_t out_features = 0;
  bool bias = true;
  Activation activation = Activation::kIdentity;
  bool of_tokens = false;  ///< Its file points it at each token's vector, not at the text's.
  /// model.safetensors or pytorch_model.bin of that folder: linear.weight [out × in] and, where
  /// `bias`, linear.bias [out]. Empty if there is none and none was required.
  std::filesystem::path weight_file;
};

/// Reads `path`/config.json below `folder` and finds the weights. Errors name the file and the key.
absl::StatusOr<DenseModule> ReadDenseModule(const std::filesystem::path& folder,
                                            const std::string& path, bool weights_required);

}  // namespace hub
