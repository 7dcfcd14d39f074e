#pragma once

#include "bench/families/shape.h"
#include "bench/latency.h"
#include "rose/runtime/engine.h"

namespace bench {

struct StepTimes {
  LatencySummary wall;
  /// Processor time of all threads together, a mean of the steps after the first, since some
  /// systems count it in ticks longer than a step: on a machine that is shared, what the time of a
  /// step × workers would be without the others.
  double processor_ms = 0;
};

/// Steps of one shape, one after the other, for `seconds`, but three at least.
StepTimes TimeSteps(rose::Engine& engine, const Shape& shape, double seconds);

}  // namespace bench
