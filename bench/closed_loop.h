#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/latency.h"
#include "bench/url.h"
#include "bench/workload.h"
#include "common/clock.h"
#include "common/status.h"

namespace bench {

/// Some clients, each on its own thread and kept-alive connection, each sending its next request as
/// soon as the last one is answered.
struct ClosedLoop {
  Url url{};
  Workload workload{};
  int connections = 1;
  int64_t requests = 300;  ///< Measured ones, of all clients together, at most.
  common::Duration duration = common::Duration::max();  ///< After it no request is begun.
  int warmup = 12;  ///< Requests of each client before the clock starts; at least one.
  uint64_t seed = 1;
  std::chrono::milliseconds timeout{300'000};  ///< The longest silence of the server.
};

struct LoopResult {
  LatencySummary latency;
  int dimensions = 0;
  int64_t tokens = 0;  ///< Of the measured requests; 0 if the server does not count them.
  double wall_s = 0;   ///< From the first measured request to the last answer.
};

/// Makes all requests, warms up, measures. The first failure ends it: a client that cannot connect,
/// a status other than 200 (with the start of the answer), an answer with too few rows, of changed
/// dimensions, or that counts fewer tokens than ids were sent.
absl::StatusOr<LoopResult> RunClosedLoop(const ClosedLoop& loop);

/// Several at once: none measures until the clients of all have warmed up. A failure of one ends
/// all.
absl::StatusOr<std::vector<LoopResult>> RunClosedLoops(std::span<const ClosedLoop> loops);

}  // namespace bench
