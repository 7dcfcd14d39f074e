#pragma once

#include <cstdint>
#include <vector>

#include "common/clock.h"

namespace bench {

/// When requests of a Poisson process arrive within `duration`, from its start on: as many clients
/// that do not know of each other send them, however the server fares. The same for the same seed
/// on every machine. `rate_per_s` is above 0.
std::vector<common::Duration> PoissonArrivals(double rate_per_s, common::Duration duration,
                                              uint64_t seed);

}  // namespace bench
