#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "bench/latency.h"
#include "bench/session.h"
#include "common/clock.h"

namespace bench {

/// What the clients of one run have measured together.
struct LoadResult {
  LatencySummary latency{};
  int dimensions = 0;
  int64_t tokens = 0;  ///< Of the measured requests; 0 if the target does not count them.
  std::map<int32_t, int64_t> inputs_by_tokens{};  ///< Measured inputs by length, where known.
  double wall_s = 0;  ///< From the first measured request to the last answer.
};

/// Where one client's part of a run began and ended, and its latencies.
struct ClientTimes {
  common::TimePoint start{};
  common::TimePoint end{};
  std::vector<common::Duration> latencies{};
};

/// Adds a client's part to what others have measured.
class LoadSum {
 public:
  void Add(const Session& session, const ClientTimes& times);
  LoadResult Result() &&;

 private:
  LoadResult result_;
  ClientTimes times_{.start = common::TimePoint::max(), .end = common::TimePoint::min()};
};

}  // namespace bench
