#include "bench_report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/one_line.h"

absl::StatusOr<std::ofstream> OpenJson(const std::string& file) {
  std::ofstream json;
  if (!file.empty()) json.open(file);
  if (!json) return absl::NotFoundError(file + ": cannot be written");
  return json;
}

absl::Status WriteJson(const nlohmann::json& report, std::ofstream& file) {
  if (!file.is_open()) return absl::OkStatus();
  // Names of files need not be UTF-8.
  file << report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n'
       << std::flush;
  if (file) return absl::OkStatus();
  return absl::DataLossError("--json: the report could not be written whole");
}

int FailBench(const absl::Status& status, int exit_status) {
  std::fprintf(stderr, "parterre: bench: %s\n",
               common::OneLine(std::string(status.message())).c_str());
  return exit_status;
}
