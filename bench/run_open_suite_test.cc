#include "bench/run_open_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/arrivals.h"
#include "bench/served_target.h"

namespace bench {
namespace {

using testing::HasSubstr;

OpenSuite SmallSuite() {
  return {.length = 4, .rates = {200, 100}, .seconds = 0.1, .connections = 3};
}

TEST(RunOpenSuite, RunsEveryRate) {
  const ServedTarget served(HttpAnswer(200, NullEmbeddings(1, 8)));
  std::ostringstream out;
  const auto suite = RunOpenSuite(SmallSuite(), {.target = served.target.get()}, out);
  ASSERT_TRUE(suite.ok()) << suite.status();
  EXPECT_EQ(suite->at("name"), "open");
  ASSERT_EQ(suite->at("rows").size(), 2u);
  for (const nlohmann::json& row : suite->at("rows")) {
    EXPECT_EQ(row.at("clients"), 3);
    EXPECT_EQ(row.at("requests"), row.at("open").at("arrivals"));
    EXPECT_DOUBLE_EQ(row.at("open").at("offered_per_s").get<double>(),
                     row.at("requests").get<double>() / 0.1);
  }
  EXPECT_GT(suite->at("rows").at(0).at("requests"), suite->at("rows").at(1).at("requests"));
  EXPECT_EQ(suite->at("ceiling").at("requests"), suite->at("rows").at(0).at("requests"));
  EXPECT_THAT(out.str(), HasSubstr("| clients | inputs | offered/s | reached/s | waited |"));
}

TEST(RunOpenSuite, HasACeilingOfSlowRatesToo) {
  const ServedTarget served(HttpAnswer(200, NullEmbeddings(1, 8)));
  OpenSuite suite = SmallSuite();
  suite.rates = {1};
  suite.seconds = 1.2;
  // One whose only requests arrive after the time in which the ceiling is measured.
  uint64_t seed = 1;
  for (;; ++seed) {
    const auto arrivals = PoissonArrivals(1, std::chrono::milliseconds(1200), seed);
    if (!arrivals.empty() && arrivals.front() > std::chrono::milliseconds(1050)) break;
  }
  std::ostringstream out;
  const auto report = RunOpenSuite(suite, {.target = served.target.get(), .seed = seed}, out);
  ASSERT_TRUE(report.ok()) << report.status();
  const nlohmann::json& figures = report->at("rows").at(0).at("open");
  EXPECT_LE(figures.at("reached_per_s"), figures.at("offered_per_s"));
  EXPECT_GT(report->at("ceiling").at("requests"), 0);
}

TEST(RunOpenSuite, EndsWithTheFirstFailure) {
  const ServedTarget served(HttpAnswer(429, "full"));
  std::ostringstream out;
  EXPECT_THAT(
      std::string(
          RunOpenSuite(SmallSuite(), {.target = served.target.get()}, out).status().message()),
      HasSubstr("status 429: full"));
}

}  // namespace
}  // namespace bench
