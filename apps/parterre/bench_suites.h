#pragma once

#include <vector>

#include "bench/suite.h"
#include "bench_load.h"

/// What the flags of `parterre bench latency`, `scoring`, `throughput`, `concurrency` (one suite)
/// and `suites` (all of them) say.
struct BenchOptions {
  BenchLoadOptions load;
  std::vector<bench::Suite> suites;  ///< Of texts, a target that takes ids only is sent ids.
};

/// Runs the suites and prints their tables. Returns the process's exit status: 0; 1 if nothing
/// answers, a request failed, an answer was not what was asked for or the vectors are not those of
/// the reference; 2 if an option is wrong or the model cannot be served. The cause goes to the
/// error stream, in one line.
int RunBench(const BenchOptions& options);

/// What the flags of `parterre bench open` say.
struct OpenBenchOptions {
  BenchLoadOptions load;
  bench::OpenSuite suite;
};

/// `parterre bench open`: requests on a schedule. Exit status as of RunBench.
int RunOpenBench(const OpenBenchOptions& options);
