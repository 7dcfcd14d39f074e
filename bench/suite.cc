#include "bench/suite.h"

namespace bench {

Suite LatencySuite() {
  return {.name = "latency", .lengths = {32, 128, 512, 4096}, .requests = 300};
}

Suite ScoringSuite() { return {.name = "scoring", .batches = {5, 25, 50}, .requests = 60}; }

Suite ThroughputSuite() {
  return {.name = "throughput",
          .batches = {100},
          .lengths = {512, 1024, 4096},
          .clients = {4},
          .seconds = 8,
          .warmup = 2};
}

Suite ConcurrencySuite() {
  return {
      .name = "concurrency", .input = InputKind::kText, .clients = {1, 2, 4, 8, 16}, .seconds = 4};
}

}  // namespace bench
