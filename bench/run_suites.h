#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <span>

#include "bench/bench.h"
#include "bench/suite.h"
#include "common/status.h"

namespace bench {

/// Runs suites, one after the other, and prints a table of each to `out`, each line as soon as it
/// is known; under it what the workers counted meanwhile, and the load generator's own ceiling: the
/// suite's heaviest cell (most tokens under way at once) with a target that does nothing. Returns
/// the same as JSON, "suites" of bench/report.h. The first failure ends it.
absl::StatusOr<nlohmann::json> RunSuites(std::span<const Suite> suites, const Bench& bench,
                                         std::ostream& out);

}  // namespace bench
