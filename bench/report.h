#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "bench/counters.h"
#include "bench/load_result.h"
#include "bench/workload.h"

// A report as JSON (`--json FILE`). These keys are read by scripts and stay as they are; more may
// come. What is not known, or was not asked for, is absent.
//
// {
//   "target": "http://127.0.0.1:8080",  What was measured: a URL, or "engine" and the model.
//   "model": "…",                       As the caller gave it: "model" of the requests.
//   "length_file": "…",                 That lengths were drawn from; "length" is then their mean.
//   "peak_tflops": 989,                 That roofline_share is a share of.
//   "reference": {"file": "…", "inputs": 8, "divergence": 0.0002},   Passed before any timing.
//   "suites": [{
//     "name": "latency",                "latency", "scoring", "throughput", "concurrency", "open".
//     "rows": [{
//       "input": "ids",                 "ids"; "text": of exactly `length` tokens; "words": a text
//                                       of `length` words.
//       "batch": 1, "length": 512, "clients": 1,
//       "requests": 300, "dimensions": 1024, "wall_s": 0.42,
//       "latency_ms": {"mean", "min", "p50", "p90", "p99", "max"},
//       "embeddings_per_s": 714.2,
//       "tokens_per_s": 365714,         As the server counts them; absent if it does not.
//       "roofline_share": 0.41,         0 to 1.
//       "counters": {                   Of a Parterre, during the measured requests.
//         "engines": 1, "steps": 300, "graph_replays": 300, "graph_captures": 0,
//         "eager_steps": 0,             Of steps on a GPU; a CPU counts none of these three.
//         "batch_fill": 0.31,           Mean of a step's tokens over the batch budget.
//         "busy_share": 0.97            Of the wall clock, of an engine in the mean.
//       },
//       "open": {                       Suite "open" alone: latencies from the scheduled arrival.
//         "offered_per_s": 100, "reached_per_s": 99.2,   Requests.
//         "arrivals": 1000,
//         "waited": 12,                 Of them found every connection busy.
//         "longest_wait_ms": 31.5       Of these, for a connection.
//       }
//     }],
//     "ceiling": {…}                    A row: the heaviest cell, answered by nothing.
//   }]
// }

namespace bench {

/// How arrivals on a schedule were met.
struct OpenFigures {
  double offered_per_s = 0;
  double reached_per_s = 0;
  int64_t arrivals = 0;
  int64_t waited = 0;  ///< Found every connection busy.
  double longest_wait_ms = 0;
};

/// A line of a report: what was run, and what came of it.
struct Row {
  Workload workload{};
  int clients = 1;
  LoadResult result{};
  std::optional<double> roofline_share{};
  std::optional<Counters> counters{};  ///< Increase while it ran.
  std::optional<OpenFigures> open{};
};

/// "100 × 512 ids"
std::string ShapeName(const Workload& workload);

/// Columns of a table that not every suite has.
struct Columns {
  bool open = false;
  bool roofline = false;
};

/// Of Markdown: the head of the table that TableLine fills, and a line of it; both end with a line
/// feed.
std::string TableHead(Columns columns);
std::string TableLine(const Row& row, Columns columns);

/// The same of what the workers counted, of the rows that have it.
std::string CounterTableHead();
std::string CounterTableLine(const Row& row);

/// A row of "rows".
nlohmann::json RowJson(const Row& row);

}  // namespace bench
