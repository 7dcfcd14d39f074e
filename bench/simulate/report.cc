#include "bench/simulate/report.h"

#include <fmt/format.h>

namespace bench {

std::string CsvHeader() {
  return "scenario,policy,schedule,replicas,gateways,load,bulk_clients,slow_replicas,slowdown,"
         "one_way_us,kind,count,p50_ms,p99_ms,p999_ms,tokens_per_s,utilisation,least_utilisation,"
         "most_utilisation\n";
}

std::string CsvRows(const Scenario& scenario, const Outcome& outcome) {
  std::string rows;
  for (int i = 0; i < kKinds; ++i) {
    const Latencies& latencies = outcome.latencies[static_cast<std::size_t>(i)];
    if (latencies.count == 0) continue;
    rows += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.0f},{:.4f},{:.4f},{:.4f}\n",
        scenario.name, scenario.policy, tulip::ScheduleName(scenario.schedule), scenario.replicas,
        scenario.gateways, scenario.load, scenario.bulk_clients, scenario.slow_replicas,
        scenario.slowdown, scenario.one_way_us, KindName(static_cast<Kind>(i)), latencies.count,
        latencies.p50_ms, latencies.p99_ms, latencies.p999_ms, outcome.tokens_per_s,
        outcome.utilisation, outcome.least_utilisation, outcome.most_utilisation);
  }
  return rows;
}

}  // namespace bench
