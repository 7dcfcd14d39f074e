#include "bench/latency_suite.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "bench/null_server.h"
#include "bench/report.h"

namespace bench {
namespace {

constexpr int64_t kNullRequests = 1000;

absl::StatusOr<Row> MeasureNothing(Row row) {
  const int batch = row.loop.workload.batch;
  const std::string answer = HttpAnswer(200, NullEmbeddings(batch, row.result.dimensions));
  ASSIGN_OR_RETURN(const auto server,
                   NullServer::Create([&answer](std::string_view) { return std::string(answer); }));
  row.loop.url = {.host = "127.0.0.1", .port = server->port()};
  row.loop.requests = kNullRequests;
  ASSIGN_OR_RETURN(row.result, RunClosedLoop(row.loop));
  return row;
}

}  // namespace

absl::StatusOr<nlohmann::json> RunLatencySuite(const LatencySuite& suite, std::ostream& out) {
  nlohmann::json report;
  Row row = {.loop = suite.loop};
  out << TableHead();
  for (const int length : suite.lengths) {
    for (const int connections : suite.connections) {
      row.loop.workload.length = length;
      row.loop.connections = connections;
      ASSIGN_OR_RETURN(row.result, RunClosedLoop(row.loop));
      out << TableLine(row) << std::flush;
      report["rows"].push_back(RowJson(row));
    }
  }
  ASSIGN_OR_RETURN(const Row nothing, MeasureNothing(std::move(row)));
  out << "The last line against a server that does nothing:\n" << TableLine(nothing);
  report["null_server"] = RowJson(nothing);
  return report;
}

}  // namespace bench
