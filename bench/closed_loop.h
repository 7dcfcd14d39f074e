#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/load_result.h"
#include "bench/target.h"
#include "bench/workload.h"
#include "common/clock.h"
#include "common/status.h"

namespace bench {

/// Some clients, each on its own thread, each sending its next request as soon as the last one is
/// answered.
struct ClosedLoop {
  Target* target = nullptr;  ///< Outlives the run.
  Workload workload{};
  int clients = 1;
  int64_t requests = 300;  ///< Measured ones, of all clients together, at most.
  common::Duration duration = common::Duration::max();  ///< After it no request is begun.
  /// Requests of each client before the clock starts; at least one, and no more once `duration` has
  /// passed.
  int warmup = 12;
  uint64_t seed = 1;
};

/// Called once all clients have warmed up, before any measures.
using WarmedUp = std::function<void()>;

/// Makes all requests, warms up, measures. The first failure ends it: a client that cannot connect,
/// or what is one to Session.
absl::StatusOr<LoadResult> RunClosedLoop(const ClosedLoop& loop, const WarmedUp& warmed_up = {});

/// Several at once: none measures until the clients of all have warmed up. A failure of one ends
/// all.
absl::StatusOr<std::vector<LoadResult>> RunClosedLoops(std::span<const ClosedLoop> loops,
                                                       const WarmedUp& warmed_up = {});

}  // namespace bench
