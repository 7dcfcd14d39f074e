#include "bench/arrivals.h"

#include <cmath>
#include <random>

#include "bench/draw.h"
#include "common/check.h"

namespace bench {

std::vector<common::Duration> PoissonArrivals(double rate_per_s, common::Duration duration,
                                              uint64_t seed) {
  CHECK(rate_per_s > 0);
  std::mt19937_64 random(seed);
  std::vector<common::Duration> arrivals;
  std::chrono::duration<double> time{0};
  for (;;) {
    // The gaps are distributed exponentially: the inverse of that distribution's function.
    time += std::chrono::duration<double>(-std::log(DrawShare(random)) / rate_per_s);
    if (time >= duration) return arrivals;
    arrivals.push_back(std::chrono::duration_cast<common::Duration>(time));
  }
}

}  // namespace bench
