#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "bench/report.h"

namespace bench {

/// The report of one suite, on paper as it comes to be: a table, what the workers counted, the load
/// generator's ceiling.
class SuiteReport {
 public:
  /// Prints the table's head to `out`, which outlives this.
  SuiteReport(const std::string& name, Columns columns, std::ostream& out);

  /// Prints a line.
  void Add(const Row& row);

  /// Prints the rest. `ceiling`: a row that was answered by nothing. Returns the suite as an
  /// element of "suites" (bench/report.h).
  nlohmann::json Finish(const Row& ceiling);

 private:
  const Columns columns_;
  std::ostream& out_;
  nlohmann::json json_;
  std::string counter_lines_;
};

}  // namespace bench
