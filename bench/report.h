#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/closed_loop.h"

namespace bench {

/// A line of a report: what was run, and what came of it.
struct Row {
  ClosedLoop loop{};
  LoopResult result{};
};

/// The head of the table that TableLine fills, and a line of it; both end with a line feed.
std::string TableHead();
std::string TableLine(const Row& row);

/// One object: shape, count, "latency_ms", rates.
nlohmann::json RowJson(const Row& row);

}  // namespace bench
