#pragma once

#include <memory>

#include "bench/families/shape.h"
#include "bench/families/timed_ops.h"
#include "common/status.h"
#include "hub/model_folder.h"
#include "rose/core/dtype.h"
#include "rose/cpu/isa.h"

namespace bench {

/// One model with random weights, run by one thread with each operation timed.
class Profile {
 public:
  static absl::StatusOr<std::unique_ptr<Profile>> Create(const hub::ModelFolder& folder,
                                                         rose::cpu::Isa isa, rose::DType dtype);
  virtual ~Profile() = default;
  /// The thread's own processor seconds for a whole batch of the shape: the shortest of some passes
  /// over as many of its sequences as the engine gives a worker at once.
  virtual PartSeconds Measure(const Shape& shape) = 0;
};

}  // namespace bench
