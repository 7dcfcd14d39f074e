// Runs the scenarios of docs/balancing.md and prints a row for each kind of request.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "bench/simulate/policy.h"
#include "bench/simulate/report.h"
#include "bench/simulate/scenario.h"

namespace {

using bench::Scenario;

/// As long as needed for some hundred thousand requests, however many replicas there are.
double SecondsFor(int replicas) { return std::clamp(1000.0 / replicas, 0.3, 60.0); }

/// From one replica to ten thousand.
void AddSizes(std::vector<Scenario>& all) {
  for (const int replicas : {1, 2, 4, 8, 16, 100, 1000, 10'000}) {
    for (const char* policy : {"balancer", "two", "least", "round-robin", "random"}) {
      all.push_back({.name = "size",
                     .policy = policy,
                     .replicas = replicas,
                     .seconds = SecondsFor(replicas)});
    }
  }
}

void AddLoads(std::vector<Scenario>& all) {
  for (const double load : {0.3, 0.5, 0.7, 0.8, 0.9, 0.95}) {
    for (const char* policy : {"balancer", "two", "least", "round-robin", "random"}) {
      all.push_back({.name = "load",
                     .policy = policy,
                     .replicas = 16,
                     .load = load,
                     .seconds = SecondsFor(16)});
    }
  }
}

/// The more gateways, the less of the load is one's own: the rest is known from answers only.
void AddStale(std::vector<Scenario>& all) {
  for (const int replicas : {4, 16}) {
    for (const int gateways : {1, 4, 16, 64, 256}) {
      for (const char* policy : {"balancer", "two", "blind", "least", "random"}) {
        all.push_back({.name = "stale",
                       .policy = policy,
                       .replicas = replicas,
                       .gateways = gateways,
                       .one_way_us = 500,
                       .seconds = SecondsFor(replicas)});
      }
    }
  }
}

void AddSlow(std::vector<Scenario>& all) {
  for (const double slowdown : {1.0, 2.0, 4.0, 10.0}) {
    for (const char* policy : {"balancer", "blind", "least", "round-robin", "random"}) {
      all.push_back({.name = "slow",
                     .policy = policy,
                     .replicas = 8,
                     .load = 0.6,
                     .slow_replicas = 1,
                     .slowdown = slowdown,
                     .seconds = 30});
    }
  }
}

constexpr tulip::Schedule kSchedules[] = {tulip::Schedule::kFcfs, tulip::Schedule::kFair};

/// Single queries beside clients that send batches without a pause.
void AddBeside(std::vector<Scenario>& all) {
  for (const int replicas : {1, 4}) {
    for (const int clients : {1, 2, 4, 8, 16, 32, 64}) {
      for (const tulip::Schedule schedule : kSchedules) {
        all.push_back({.name = "beside",
                       .schedule = schedule,
                       .replicas = replicas,
                       .gateways = 1,
                       .load = 0.01,
                       .token_shares = {1, 0, 0},
                       .bulk_clients = clients,
                       .seconds = 60});
      }
    }
  }
}

/// Mixed traffic.
void AddTurns(std::vector<Scenario>& all) {
  for (const double load : {0.3, 0.5, 0.7, 0.8, 0.9, 0.95}) {
    for (const tulip::Schedule schedule : kSchedules) {
      all.push_back(
          {.name = "turns", .schedule = schedule, .replicas = 4, .load = load, .seconds = 120});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Simulates gateways and replicas under mixed traffic.");
  std::string only;
  app.add_option("--only", only,
                 "The scenarios of this name: size, load, stale, slow, beside, turns");
  CLI11_PARSE(app, argc, argv);
  std::vector<Scenario> all;
  for (const auto add : {AddSizes, AddLoads, AddStale, AddSlow, AddBeside, AddTurns}) add(all);
  fmt::print("{}", bench::CsvHeader());
  for (const Scenario& scenario : all) {
    if (!only.empty() && scenario.name != only) continue;
    fmt::print("{}", bench::CsvRows(scenario, bench::Simulate(scenario)));
    std::fflush(stdout);
  }
  return 0;
}
