#pragma once

#include <cstdint>

#include "bench/closed_loop.h"
#include "bench/load_result.h"
#include "bench/target.h"
#include "bench/workload.h"
#include "common/clock.h"
#include "common/status.h"

namespace bench {

/// Requests that arrive on a schedule, whether or not those before have been answered. A closed
/// loop sends nothing while a slow answer keeps its client waiting, and so leaves out just those
/// requests that would have met the slowness: what Gil Tene named coordinated omission ("How NOT to
/// Measure Latency"). Here a latency runs from when a request was to arrive, so that the time for
/// which it waited for the server, or for a free connection, is part of it.
struct OpenLoop {
  Target* target = nullptr;  ///< Outlives the run.
  Workload workload{};
  double rate_per_s = 100;  ///< Requests, in the mean of a Poisson process.
  common::Duration duration = std::chrono::seconds(10);  ///< Of the arrivals.
  /// Clients that send them, the next free one each: at most so many requests are under way, and
  /// one that finds none free waits for one.
  int connections = 64;
  int warmup = 2;  ///< Requests of each client before the clock starts; at least one.
  uint64_t seed = 1;
};

struct OpenLoopResult {
  /// Latencies from the scheduled arrivals; wall_s from the schedule's start to the last answer, or
  /// to its end if that is later: a rate is of the time in which requests could arrive.
  LoadResult load{};
  int64_t arrivals = 0;
  int64_t waited = 0;               ///< Of them found every connection busy.
  common::Duration longest_wait{};  ///< Of these, for a connection.
};

/// Makes all requests, warms up, sends on schedule. The first failure ends it, as of
/// RunClosedLoop. FailedPrecondition if nothing arrives: rate and duration are too small.
/// InvalidArgument if more would than fit in memory.
absl::StatusOr<OpenLoopResult> RunOpenLoop(const OpenLoop& loop, const WarmedUp& warmed_up = {});

}  // namespace bench
