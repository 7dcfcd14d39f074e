#pragma once

#include <cstdint>

#include "rose/core/model_input.h"
#include "rose/core/ops.h"

namespace rose {

/// The body of a family: ids in, last hidden states out. Immutable; any number of Ops may run
/// Forward at once.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// [tokens × hidden_size] in the arena of `ops`.
  virtual Tensor Forward(Ops& ops, const ModelInput& input) const = 0;
  virtual int64_t hidden_size() const = 0;
  virtual int64_t head_dim() const = 0;  ///< Of its attention; sizes the workspaces.
  virtual int64_t vocabulary_size() const = 0;
  /// Most tokens of one sequence that the positions allow.
  virtual int64_t positions_max() const = 0;
  /// type_ids lie below it.
  virtual int64_t type_vocabulary_size() const = 0;
};

}  // namespace rose
