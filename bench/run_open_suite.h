#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>

#include "bench/bench.h"
#include "bench/suite.h"
#include "common/status.h"

namespace bench {

/// RunSuites for open loops. Returns the suite "open". Its ceiling is the highest rate, with a
/// target that does nothing: how late the load generator itself is.
absl::StatusOr<nlohmann::json> RunOpenSuite(const OpenSuite& suite, const Bench& bench,
                                            std::ostream& out);

}  // namespace bench
