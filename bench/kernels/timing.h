#pragma once

#include <ctime>

namespace bench {

/// What the calling thread has computed for: time that other programs took does not count.
inline double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The shortest of the runs of `body` that a quarter of a second has room for, at least five.
template <typename Body>
double BestSeconds(const Body& body) {
  constexpr double kEnough = 0.25;
  constexpr int kRunsMin = 5;
  body();  // Pages and caches.
  double best = 1e9;
  const double begin = ThreadSeconds();
  for (int run = 0; run < kRunsMin || ThreadSeconds() - begin < kEnough; ++run) {
    const double start = ThreadSeconds();
    body();
    const double seconds = ThreadSeconds() - start;
    if (seconds < best) best = seconds;
  }
  return best;
}

}  // namespace bench
