#pragma once

#include "rose/core/model_input.h"
#include "rose/core/ops.h"
#include "rose/core/output_rows.h"

namespace rose {

/// Makes one output of the last hidden states. What is computed for a sequence is float32, what is
/// computed for a token has the activations' dtype. Immutable; any number of Ops may run it at
/// once.
class Head {
 public:
  virtual ~Head() = default;

  virtual OutputShape shape() const = 0;
  /// hidden [tokens × hidden_size]; out float32 [sequences or tokens × shape().columns].
  virtual void Run(Ops& ops, const ModelInput& input, Tensor hidden, Tensor out) const = 0;
};

}  // namespace rose
