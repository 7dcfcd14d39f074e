#pragma once

#include <string_view>

#include "common/status.h"

namespace hub {

/// An element-wise function that a module's file names.
enum class Activation {
  kIdentity,
  kTanh,
  kRelu,
  kGelu,  ///< The erf form, torch's default.
  kSilu,
  kSigmoid,
};

/// "Identity", "Tanh", …: the last component of the Python path that names it.
const char* ActivationName(Activation activation);

/// Of a Python path such as "torch.nn.modules.activation.Tanh"; its last component decides.
/// InvalidArgument, without a file's name, lists the known ones.
absl::StatusOr<Activation> ParseActivation(std::string_view python_path);

}  // namespace hub
