#pragma once

#include <optional>

#include "common/status.h"
#include "hub/dense_module.h"
#include "rose/core/backend.h"
#include "rose/core/ops.h"
#include "rose/layers/linear.h"
#include "rose/weights/weight_source.h"

namespace rose {

/// sentence-transformers' Dense module.
struct DenseModule {
  Linear linear;
  std::optional<Activation> activation = {};  ///< Nothing: the identity.

  /// out = activation(x Wᵀ + b).
  void operator()(Ops& ops, Tensor x, Tensor out) const {
    linear(ops, x, out);
    if (activation) ops.Activate(*activation, out);
  }
};

/// Reads the module's own file into `backend`, in `dtype`. Errors name the file and the tensor.
absl::StatusOr<DenseModule> LoadDenseModule(const hub::DenseModule& module, DType dtype,
                                            const WeightSource& source, Backend& backend);

}  // namespace rose
