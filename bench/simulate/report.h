#pragma once

#include <string>

#include "bench/simulate/scenario.h"

namespace bench {

/// The line of names above the rows.
std::string CsvHeader();
/// A row for each kind of request that came.
std::string CsvRows(const Scenario& scenario, const Outcome& outcome);

}  // namespace bench
