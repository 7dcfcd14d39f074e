#include "bench_report.h"

#include <fmt/format.h>

#include <cstdio>

#include "common/one_line.h"

absl::StatusOr<std::ofstream> OpenJson(const std::string& file) {
  std::ofstream json;
  if (!file.empty()) json.open(file);
  if (!json) return absl::NotFoundError(file + ": cannot be written");
  return json;
}

int FailBench(const absl::Status& status, int exit_status) {
  fmt::print(stderr, "parterre: bench: {}\n", common::OneLine(std::string(status.message())));
  return exit_status;
}
