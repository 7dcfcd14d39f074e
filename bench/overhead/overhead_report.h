#pragma once

#include <string>
#include <vector>

#include "bench/overhead/passage.h"

namespace bench {

/// The requests of one path.
struct PathTimes {
  std::string name{};
  Mark first{};
  Mark last{};
  std::vector<Passage> passages{};
};

struct Microseconds {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
};

/// From one mark to the other; all passages have both.
Microseconds TimesBetween(const std::vector<Passage>& passages, Mark from, Mark to);

/// A Markdown table of the paths' whole times.
std::string TotalsTable(const std::vector<PathTimes>& paths);

/// A Markdown table: for each mark how long the path took to it from the mark passed before, p50. A
/// path's column is about its p50 in TotalsTable, as medians go.
std::string StagesTable(const std::vector<PathTimes>& paths);

}  // namespace bench
