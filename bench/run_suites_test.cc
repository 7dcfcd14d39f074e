#include "bench/run_suites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/served_target.h"

namespace bench {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Answers as many vectors as were asked for.
std::string AnswerAll(std::string_view body) {
  const auto inputs = static_cast<int>(nlohmann::json::parse(body).at("input").size());
  return HttpAnswer(200, NullEmbeddings(inputs, 16));
}

Suite SmallSuite() {
  return {.name = "small",
          .batches = {1, 2},
          .lengths = {3, 5},
          .clients = {1, 2},
          .requests = 10,
          .warmup = 2};
}

absl::StatusOr<nlohmann::json> RunOne(const Suite& suite, const Bench& bench, std::ostream& out) {
  return RunSuites({&suite, 1}, bench, out);
}

TEST(RunSuites, RunsEveryCell) {
  const ServedTarget served(AnswerAll);
  std::ostringstream out;
  const auto report = RunOne(SmallSuite(), {.target = served.target.get()}, out);
  ASSERT_TRUE(report.ok()) << report.status();
  const nlohmann::json& suite = report->at(0);
  EXPECT_EQ(suite.at("name"), "small");
  ASSERT_EQ(suite.at("rows").size(), 8u);
  for (size_t i = 0; i < 8; ++i) {
    const nlohmann::json& row = suite.at("rows").at(i);
    EXPECT_EQ(row.at("batch"), i / 4 + 1);
    EXPECT_EQ(row.at("length"), i / 2 % 2 ? 5 : 3);
    EXPECT_EQ(row.at("clients"), i % 2 + 1);
    EXPECT_EQ(row.at("requests"), 10);
    EXPECT_EQ(row.at("dimensions"), 16);
  }
  EXPECT_EQ(suite.at("ceiling").at("batch"), 2);
  EXPECT_EQ(suite.at("ceiling").at("length"), 5);
  EXPECT_EQ(suite.at("ceiling").at("clients"), 2);
  EXPECT_THAT(out.str(), HasSubstr("| 2 | 2 × 5 ids | 10 |"));
  EXPECT_THAT(out.str(), Not(HasSubstr("Counted by the workers")));
}

TEST(RunSuites, EndsACellWithItsSeconds) {
  const ServedTarget served(AnswerAll);
  std::ostringstream out;
  const Suite suite = {.name = "timed", .lengths = {3}, .seconds = 0.02, .warmup = 1};
  const auto report = RunOne(suite, {.target = served.target.get()}, out);
  ASSERT_TRUE(report.ok()) << report.status();
  const nlohmann::json& row = report->at(0).at("rows").at(0);
  EXPECT_GT(row.at("requests"), 0);
  EXPECT_GE(row.at("wall_s"), 0.02);
}

TEST(RunSuites, MeasuresInTheLeastOfTimes) {
  const ServedTarget served(AnswerAll);
  std::ostringstream out;
  const Suite suite = {.name = "timed", .lengths = {3}, .seconds = 1e-12, .warmup = 1};
  const auto report = RunOne(suite, {.target = served.target.get()}, out);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->at(0).at("rows").at(0).at("requests"), 1);
}

TEST(RunSuites, ShowsWhatWasCountedMeanwhile) {
  std::atomic<int> answered = 0;
  const ServedTarget served([&](std::string_view body) {
    ++answered;
    return AnswerAll(body);
  });
  Suite suite = SmallSuite();
  suite.batches = suite.lengths = suite.clients = {1};
  const auto count = [&] {
    const double steps = answered;
    return Counters{.engines = 1, .steps = steps, .graph_replays = steps - 1, .batch_fill_sum = 5};
  };
  std::ostringstream out;
  const auto report = RunOne(suite, {.target = served.target.get(), .counters = count}, out);
  ASSERT_TRUE(report.ok()) << report.status();
  const nlohmann::json& counters = report->at(0).at("rows").at(0).at("counters");
  EXPECT_EQ(counters.at("steps"), 10);  // Not those of the warm-up.
  EXPECT_EQ(counters.at("graph_replays"), 10);
  EXPECT_FALSE(counters.contains("busy_share"));
  EXPECT_THAT(out.str(), HasSubstr("Counted by the workers meanwhile"));
}

TEST(RunSuites, GoesOnWithoutCounters) {
  const ServedTarget served(AnswerAll);
  const auto none = [] { return absl::NotFoundError("no counters"); };
  std::ostringstream out;
  const auto report = RunOne(SmallSuite(), {.target = served.target.get(), .counters = none}, out);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->at(0).at("rows").at(0).contains("counters"));
}

TEST(RunSuites, ComparesWithTheRoofline) {
  const ServedTarget served(AnswerAll);
  const Suite suite = {.name = "one", .batches = {2}, .lengths = {5}, .requests = 10};
  std::ostringstream out;
  const Bench bench = {
      .target = served.target.get(),
      .roofline = {.flops = [](int tokens) { return tokens * 1e6; }, .peak_tflops = 1e-3}};
  const auto report = RunOne(suite, bench, out);
  ASSERT_TRUE(report.ok()) << report.status();
  const nlohmann::json& row = report->at(0).at("rows").at(0);
  // Twenty inputs of 5 MFLOP at 1 GFLOP/s take 0.1 s.
  EXPECT_NEAR(row.at("roofline_share").get<double>() * row.at("wall_s").get<double>(), 0.1, 1e-9);
  EXPECT_THAT(out.str(), HasSubstr("| roofline |"));
}

TEST(RunSuites, EndsWithTheFirstFailure) {
  const ServedTarget served(HttpAnswer(503, "loading"));
  std::ostringstream out;
  EXPECT_THAT(
      std::string(RunOne(SmallSuite(), {.target = served.target.get()}, out).status().message()),
      HasSubstr("status 503: loading"));
}

TEST(Suites, HaveTheShapesOfTheArticle) {
  using testing::ElementsAre;
  EXPECT_THAT(LatencySuite().lengths, ElementsAre(32, 128, 512, 4096));
  EXPECT_THAT(ScoringSuite().batches, ElementsAre(5, 25, 50));
  EXPECT_THAT(ThroughputSuite().lengths, ElementsAre(512, 1024, 4096));
  EXPECT_THAT(ThroughputSuite().batches, ElementsAre(100));
  EXPECT_THAT(ConcurrencySuite().clients, ElementsAre(1, 2, 4, 8, 16));
  for (const Suite& suite :
       {LatencySuite(), ScoringSuite(), ThroughputSuite(), ConcurrencySuite()}) {
    EXPECT_TRUE(suite.requests > 0 || suite.seconds > 0) << suite.name;
  }
}

}  // namespace
}  // namespace bench
