#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <vector>

#include "bench/closed_loop.h"
#include "common/status.h"

namespace bench {

/// One closed loop for each length and number of clients.
struct LatencySuite {
  ClosedLoop loop;  ///< What all have in common; its length and connections are not looked at.
  std::vector<int> lengths;
  std::vector<int> connections;
};

/// Runs the suite, prints a table to `out`, each line as soon as it is known, and returns the same
/// as JSON ("rows"). Last, the load generator's own ceiling ("null_server"): the last line's
/// requests, sent to a server that does nothing. The first failure ends it.
absl::StatusOr<nlohmann::json> RunLatencySuite(const LatencySuite& suite, std::ostream& out);

}  // namespace bench
