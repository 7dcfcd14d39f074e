#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workload.h"

namespace bench {

/// A grid of cells: a closed loop for each batch, length and number of clients.
struct Suite {
  std::string name{};
  InputKind input = InputKind::kIds;
  std::vector<int> batches = {1};
  std::vector<int> lengths = {512};
  std::vector<int> clients = {1};
  // A cell ends with whichever of the two comes first; 0: never. One is above 0.
  int64_t requests = 0;  ///< Of all clients together.
  double seconds = 0;    ///< After which none is begun.
  int warmup = 12;       ///< Requests of each client before the clock starts.
};

/// An open loop for each rate.
struct OpenSuite {
  InputKind input = InputKind::kIds;
  int batch = 1;
  int length = 512;
  std::vector<double> rates = {50, 100, 200};  ///< Requests a second.
  double seconds = 10;                         ///< Of arrivals at each rate.
  int connections = 64;
};

// The suites of the article that our figures stand beside (docs/benchmarks.md), with its shapes.

/// What a single answer costs: one input, one client.
Suite LatencySuite();
/// A query's candidates: some inputs at once, one client.
Suite ScoringSuite();
/// Bulk: 100 inputs at once, four clients.
Suite ThroughputSuite();
/// Many clients with a text each.
Suite ConcurrencySuite();

}  // namespace bench
