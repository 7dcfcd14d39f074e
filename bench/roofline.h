#pragma once

#include <functional>
#include <optional>

#include "bench/load_result.h"

namespace bench {

/// What a machine can compute, and what a model asks of it.
struct Roofline {
  std::function<double(int tokens)> flops{};  ///< Of one input; null: not known.
  double peak_tflops = 0;                     ///< Of the machine; 0: not known.
};

/// How much of what the machine can compute in a run's time the run's inputs came to. Nothing where
/// the roofline or the inputs' lengths are not known.
std::optional<double> RooflineShare(const Roofline& roofline, const LoadResult& result);

}  // namespace bench
