#pragma once

#include "rose/core/dtype.h"

namespace bench {

/// GFLOP/s that `workers` threads reach together, each multiplying large matrices of its own with
/// oneDNN: the most that a step of linear layers alone could have here. Each thread counts its own
/// processor time, so that other programs matter little.
double MachineRate(rose::DType dtype, int workers);

}  // namespace bench
