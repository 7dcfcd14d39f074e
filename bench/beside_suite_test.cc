#include "bench/beside_suite.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/http_target.h"
#include "bench/null_server.h"

namespace bench {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

BesideSuite MakeSuite() {
  BesideSuite suite;
  suite.queries.workload = {.batch = 1, .length = 32};
  suite.bulk.workload = {.batch = 100, .length = 512};
  suite.bulk.clients = 4;
  suite.server = {.schedule = "fcfs", .engines = 1, .saturation_tokens = 1600, .step_ms = 1.25};
  return suite;
}

/// Bulk comes to 1536 tokens, which is what a step takes, in 2 ms; then to 4 % less.
BesideResult MakeResult() {
  BesideResult result;
  result.queries_alone.latency = {.count = 900, .p50_ms = 1, .p99_ms = 2, .max_ms = 4};
  result.queries_beside.latency = {.count = 90, .p50_ms = 8, .p99_ms = 16, .max_ms = 40};
  result.bulk_alone = {.latency = {.count = 60}, .tokens = 7'680'000, .wall_s = 10};
  result.bulk_beside = {.latency = {.count = 58}, .tokens = 7'372'800, .wall_s = 10};
  return result;
}

TEST(StepMs, CountsWholeInputsAndEngines) {
  BesideSuite suite = MakeSuite();
  EXPECT_DOUBLE_EQ(StepMs(suite, MakeResult().bulk_alone), 2);
  suite.server.engines = 2;
  EXPECT_DOUBLE_EQ(StepMs(suite, MakeResult().bulk_alone), 4);
  suite.server = {.engines = 1, .saturation_tokens = 100};  // An input runs whole all the same.
  EXPECT_DOUBLE_EQ(StepMs(suite, MakeResult().bulk_alone), 512.0 / 768);
}

TEST(BesideReport, ShowsLatenciesInMillisecondsAndSteps) {
  const std::string report = BesideReport(MakeSuite(), MakeResult());
  EXPECT_THAT(report, HasSubstr("| alone | 900 | 1.00 | 2.00 | 4.00 | 0.5 | 1.0 | 2.0 |\n"));
  EXPECT_THAT(report, HasSubstr("| beside bulk | 90 | 8.00 | 16.00 | 40.00 | 4.0 | 8.0 | 20.0 |"));
  EXPECT_THAT(report, HasSubstr("| alone | 60 | 0.0 | 0 | 768000 |\n"));
  EXPECT_THAT(report,
              HasSubstr("a step of bulk: 2.00 ms (of inputs of ordinary lengths: 1.25 ms)"));
  EXPECT_THAT(report, HasSubstr("p99: 8.0 steps (at most 10: yes)"));
  EXPECT_THAT(report, HasSubstr("falls by 4.0 % (less than 5 %: yes)"));
}

TEST(BesideReport, SaysWhatIsNotHeld) {
  BesideSuite suite = MakeSuite();
  suite.server.schedule = "fair";
  BesideResult result = MakeResult();
  result.bulk_beside.tokens /= 2;
  const std::string report = BesideReport(suite, result);
  EXPECT_THAT(report, HasSubstr("p99: 8.0 steps (at most 4: NO)"));
  EXPECT_THAT(report, HasSubstr("falls by 52.0 % (less than 5 %: NO)"));
}

TEST(BesideReport, JudgesTheQueriesBesideFourClientsOnly) {
  BesideSuite suite = MakeSuite();
  suite.bulk.clients = 8;
  EXPECT_THAT(BesideReport(suite, MakeResult()),
              HasSubstr("p99: 8.0 steps (no verdict, which is for 4 clients of bulk). Bulk falls"));
}

TEST(RunBesideSuite, SendsQueriesAndBulkAloneAndTogether) {
  const auto server = NullServer::Create([](std::string_view body) {
    const auto inputs = static_cast<int>(nlohmann::json::parse(body).at("input").size());
    std::string answer = NullEmbeddings(inputs, 4);
    answer.insert(answer.rfind('}'), fmt::format(R"(,"usage":{{"prompt_tokens":{}}})", inputs * 4));
    return HttpAnswer(200, answer);
  });
  ASSERT_TRUE(server.ok()) << server.status();
  BesideSuite suite = MakeSuite();
  HttpTarget target({.host = "127.0.0.1", .port = (*server)->port()});
  for (ClosedLoop* loop : {&suite.queries, &suite.bulk}) {
    loop->target = &target;
    loop->workload.length = 4;
    loop->requests = 20;
  }
  suite.bulk.workload.batch = 3;
  std::ostringstream out;
  const absl::StatusOr<nlohmann::json> report = RunBesideSuite(suite, out);
  ASSERT_TRUE(report.ok()) << report.status();
  for (const char* phase : {"queries_alone", "queries_beside", "bulk_alone", "bulk_beside"}) {
    EXPECT_EQ(report->at(phase).at("requests"), 20) << phase;
  }
  EXPECT_EQ(report->at("bulk_beside").at("batch"), 3);
  EXPECT_GT(report->at("step_ms"), 0);
  EXPECT_THAT(out.str(), HasSubstr("Schedule fcfs"));
}

TEST(RunBesideSuite, NeedsAServerThatCountsTokens) {
  const auto server =
      NullServer::Create([](std::string_view) { return HttpAnswer(200, NullEmbeddings(1, 4)); });
  ASSERT_TRUE(server.ok()) << server.status();
  BesideSuite suite = MakeSuite();
  HttpTarget target({.host = "127.0.0.1", .port = (*server)->port()});
  for (ClosedLoop* loop : {&suite.queries, &suite.bulk}) {
    loop->target = &target;
    loop->workload.batch = 1;
    loop->duration = milliseconds(1);
  }
  std::ostringstream out;
  EXPECT_THAT(std::string(RunBesideSuite(suite, out).status().message()),
              HasSubstr("does not count tokens"));
}

}  // namespace
}  // namespace bench
