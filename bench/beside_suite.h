#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>

#include "bench/closed_loop.h"
#include "bench/server_info.h"
#include "common/status.h"

namespace bench {

/// Single queries beside bulk: what either does to the other.
struct BesideSuite {
  ClosedLoop queries{};  ///< One client.
  ClosedLoop bulk{};     ///< Clients with large batches.
  ServerInfo server{};
};

/// The same for each phase.
struct BesideResult {
  LoadResult queries_alone{};
  LoadResult bulk_alone{};
  LoadResult queries_beside{};
  LoadResult bulk_beside{};
};

/// How long an engine takes for a step that is full of bulk, by what bulk alone comes to in a
/// second. A step takes whole inputs up to the batch budget.
double StepMs(const BesideSuite& suite, const LoadResult& bulk_alone);

/// What the queries may take in steps (p99) beside four clients of bulk, by the schedule: 4 steps
/// where jobs take turns, else 10, which is what the job windows of the four hold. Beside another
/// number of clients nothing is promised.
std::optional<double> StepsAllowed(const BesideSuite& suite);

/// Two tables, in Markdown, and what they come to.
std::string BesideReport(const BesideSuite& suite, const BesideResult& result);

/// Runs the three phases (queries, bulk, both) for as long as the loops' duration each and prints
/// the report. Returns the same as JSON. The first failure ends it.
absl::StatusOr<nlohmann::json> RunBesideSuite(const BesideSuite& suite, std::ostream& out);

}  // namespace bench
