#include "bench_tokenizer.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/tokenizer_scaling.h"
#include "bench_report.h"

int RunTokenizerBench(const TokenizerBenchOptions& options) {
  const bench::TokenizerSuite& suite = options.suite;
  absl::StatusOr<nlohmann::json> report = bench::RunTokenizerSuite(suite);
  if (!report.ok()) return FailBench(report.status(), 2);
  if (options.threads != 1) {
    const absl::StatusOr<nlohmann::json> scaling = bench::RunTokenizerScaling(
        {.tokenizer = suite.tokenizer, .texts = suite.texts, .threads = options.threads});
    if (!scaling.ok()) return FailBench(scaling.status(), 2);
    report->update(*scaling);
  }
  std::cout << report->dump() << '\n';
  return 0;
}
