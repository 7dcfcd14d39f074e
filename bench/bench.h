#pragma once

#include <cstdint>

#include "bench/counters.h"
#include "bench/roofline.h"
#include "bench/target.h"
#include "bench/workload.h"

namespace bench {

/// What all suites of a report have in common. What it points to outlives the run.
struct Bench {
  Target* target = nullptr;
  Workload workload{};  ///< Batch, length and kind of input are the suite's.
  uint64_t seed = 1;
  Roofline roofline{};
  CounterSource counters{};  ///< Null: they are not looked at.
};

}  // namespace bench
