#include "bench/closed_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "bench/null_server.h"
#include "bench/served_target.h"

namespace bench {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

ClosedLoop LoopTo(const ServedTarget& served) {
  return {.target = served.target.get(), .requests = 50, .warmup = 2};
}

TEST(RunClosedLoop, SendsWhatWasAskedForOverItsConnections) {
  std::mutex mutex;
  std::vector<std::string> bodies;
  std::set<std::thread::id> threads;  // The server has one for each connection.
  const ServedTarget server([&](std::string_view body) {
    const std::lock_guard lock(mutex);
    bodies.emplace_back(body);
    threads.insert(std::this_thread::get_id());
    return HttpAnswer(200, NullEmbeddings(3, 8));
  });
  ClosedLoop loop = LoopTo(server);
  loop.workload = {.batch = 3, .length = 5};
  loop.clients = 4;
  const absl::StatusOr<LoadResult> result = RunClosedLoop(loop);
  ASSERT_TRUE(result.ok()) << result.status();

  EXPECT_EQ(result->latency.count, 50);
  EXPECT_EQ(result->dimensions, 8);
  EXPECT_EQ(threads.size(), 4u);
  EXPECT_EQ(bodies.size(), 50u + 4 * 2);
  for (const std::string& body : bodies) {
    const nlohmann::json request = nlohmann::json::parse(body);
    EXPECT_EQ(request.at("input").size(), 3u);
    EXPECT_EQ(request.at("input").at(2).size(), 5u);
  }
  EXPECT_GT(std::set<std::string>(bodies.begin(), bodies.end()).size(), 6u);
}

TEST(RunClosedLoop, CountsTheTokensOfMeasuredRequests) {
  const ServedTarget server(
      HttpAnswer(200, R"({"data":[{"embedding":"AACAPw=="}],"usage":{"prompt_tokens":32}})"));
  const absl::StatusOr<LoadResult> result = RunClosedLoop(LoopTo(server));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->tokens, 50 * 32);
}

TEST(RunClosedLoop, SeesThatInputsAreCut) {
  const ServedTarget server(
      HttpAnswer(200, R"({"data":[{"embedding":"AACAPw=="}],"usage":{"prompt_tokens":31}})"));
  EXPECT_THAT(std::string(RunClosedLoop(LoopTo(server)).status().message()),
              HasSubstr("counts 31 tokens to a request of 32"));
}

TEST(RunClosedLoop, NeverReportsLessThanTheServersDelay) {
  constexpr milliseconds kDelay{5};
  const ServedTarget server([&](std::string_view) {
    std::this_thread::sleep_for(kDelay);
    return HttpAnswer(200, NullEmbeddings(1, 4));
  });
  ClosedLoop loop = LoopTo(server);
  loop.requests = 20;
  loop.clients = 2;
  const absl::StatusOr<LoadResult> result = RunClosedLoop(loop);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GE(result->latency.min_ms, kDelay.count());
  EXPECT_GE(result->latency.max_ms, result->latency.p50_ms);
  // Each of two clients waits for at least its share of the answers, one after the other.
  EXPECT_GE(result->wall_s * 1e3, kDelay.count() * 10);
}

TEST(RunClosedLoop, BeginsNoRequestOnceItsTimeIsOver) {
  const ServedTarget server(HttpAnswer(200, NullEmbeddings(1, 4)));
  ClosedLoop loop = LoopTo(server);
  loop.requests = 1'000'000'000;
  loop.duration = milliseconds(20);
  const absl::StatusOr<LoadResult> result = RunClosedLoop(loop);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(result->latency.count, 0);
  EXPECT_GE(result->wall_s, 0.020);
}

TEST(RunClosedLoops, MeasuresOnceAllHaveWarmedUp) {
  std::atomic<int> slow_answered = 0;
  std::atomic<int> answered_before = 0;
  const ServedTarget slow([&](std::string_view) {
    std::this_thread::sleep_for(milliseconds(20));
    ++slow_answered;
    return HttpAnswer(200, NullEmbeddings(1, 4));
  });
  std::atomic<int> fast_answered = 0;
  const ServedTarget fast([&](std::string_view) {
    if (slow_answered < 2) answered_before = ++fast_answered;
    return HttpAnswer(200, NullEmbeddings(1, 8));
  });
  std::array loops = {LoopTo(slow), LoopTo(fast)};
  loops[0].requests = 1;
  const auto results = RunClosedLoops(loops);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].dimensions, 4);
  EXPECT_EQ((*results)[1].dimensions, 8);
  EXPECT_EQ((*results)[1].latency.count, 50);
  EXPECT_EQ(answered_before, 2);  // Its own warm-up.
}

TEST(RunClosedLoops, AFailureOfOneEndsAll) {
  const ServedTarget good(HttpAnswer(200, NullEmbeddings(1, 4)));
  const ServedTarget bad(HttpAnswer(500, "broken"));
  std::array loops = {LoopTo(good), LoopTo(bad)};
  loops[0].requests = 1'000'000'000;
  EXPECT_THAT(std::string(RunClosedLoops(loops).status().message()), HasSubstr("status 500"));
}

TEST(RunClosedLoop, MeasuresNothingOfTheWarmUp) {
  std::atomic<int> answered = 0;
  const ServedTarget server([&](std::string_view) {
    if (answered++ < 3) std::this_thread::sleep_for(milliseconds(300));
    return HttpAnswer(200, NullEmbeddings(1, 4));
  });
  ClosedLoop loop = LoopTo(server);
  loop.warmup = 3;
  loop.requests = 5;
  const absl::StatusOr<LoadResult> result = RunClosedLoop(loop);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->latency.count, 5);
  EXPECT_EQ(result->tokens, 0);
  EXPECT_EQ(answered, 8);
}

TEST(RunClosedLoop, ReadsAnswersLargerThanABuffer) {
  const ServedTarget server(HttpAnswer(200, NullEmbeddings(100, 1024)));
  ClosedLoop loop = LoopTo(server);
  loop.workload = {.batch = 100, .length = 512};
  loop.requests = 3;
  const absl::StatusOr<LoadResult> result = RunClosedLoop(loop);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->dimensions, 1024);
}

TEST(RunClosedLoop, EndsWithTheCauseOfABadAnswer) {
  const struct {
    std::string answer;
    const char* cause;
  } kCases[] = {
      {HttpAnswer(429, R"({"error":"full"})"), R"(status 429: {"error":"full"})"},
      {HttpAnswer(200, NullEmbeddings(1, 4)), "an answer of 1 rows to a request of 2 inputs"},
      {HttpAnswer(200, "{}"), "an answer of 0 rows to a request of 2 inputs"},
      {HttpAnswer(200, R"({"data":[{"embedding":[1,2]}]})"), "row 0: expected float32"},
      {"HTTP/1.1 200 OK\r\n\r\n", "no Content-Length"},
      {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "hangs up"},
      {HttpAnswer(200, "{}") + "more", "longer than its Content-Length"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000000\r\n\r\n", "at most"},
  };
  for (const auto& c : kCases) {
    const ServedTarget server(c.answer);
    ClosedLoop loop = LoopTo(server);
    loop.workload.batch = 2;
    loop.clients = 3;
    EXPECT_THAT(std::string(RunClosedLoop(loop).status().message()), HasSubstr(c.cause));
  }
}

TEST(RunClosedLoop, EndsWhenAnAnswerGoesWrongLater) {
  std::atomic<int> answered = 0;
  const ServedTarget server([&](std::string_view) {
    return answered++ < 20 ? HttpAnswer(200, NullEmbeddings(1, 4)) : HttpAnswer(500, "broken");
  });
  ClosedLoop loop = LoopTo(server);
  loop.clients = 2;
  loop.requests = 1'000'000;
  EXPECT_THAT(std::string(RunClosedLoop(loop).status().message()), HasSubstr("status 500: broken"));
  EXPECT_LT(answered, 30);
}

TEST(RunClosedLoop, SeesThatTheDimensionsChange) {
  std::atomic<int> answered = 0;
  const ServedTarget server([&](std::string_view) {
    return HttpAnswer(200, NullEmbeddings(1, answered++ < 10 ? 4 : 8));
  });
  EXPECT_THAT(std::string(RunClosedLoop(LoopTo(server)).status().message()),
              HasSubstr("an answer of 8 dimensions after those of 4"));
}

TEST(RunClosedLoop, GivesUpOnASilentServer) {
  std::atomic<bool> over = false;
  const ServedTarget server(
      [&](std::string_view) {
        while (!over) std::this_thread::sleep_for(milliseconds(1));
        return std::string();
      },
      /*model=*/"", milliseconds(20));
  EXPECT_EQ(RunClosedLoop(LoopTo(server)).status().code(), absl::StatusCode::kDeadlineExceeded);
  over = true;
}

TEST(RunClosedLoop, NamesTheAddressWhereNothingListens) {
  const Url url = ServedTarget("").url();
  HttpTarget target(url);
  const absl::Status status = RunClosedLoop({.target = &target}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr(Authority(url)));
}

TEST(RunClosedLoop, TellsWhenAllHaveWarmedUp) {
  std::atomic<int> answered = 0;
  const ServedTarget server([&](std::string_view) {
    ++answered;
    return HttpAnswer(200, NullEmbeddings(1, 4));
  });
  ClosedLoop loop = LoopTo(server);
  loop.clients = 3;
  int answered_then = 0;
  ASSERT_TRUE(RunClosedLoop(loop, [&] { answered_then = answered; }).ok());
  EXPECT_EQ(answered_then, 3 * 2);
}

TEST(RunClosedLoop, WarmsUpForNoLongerThanItMeasures) {
  const ServedTarget server(HttpAnswer(200, NullEmbeddings(1, 4)));
  ClosedLoop loop = LoopTo(server);
  loop.warmup = 1'000'000'000;
  loop.duration = milliseconds(20);
  EXPECT_TRUE(RunClosedLoop(loop).ok());  // It ends.
}

TEST(RunClosedLoop, CountsInputsByTheirTokens) {
  const ServedTarget server(HttpAnswer(200, NullEmbeddings(2, 4)));
  const auto lengths = LengthDistribution::Parse("3 1\n7 1\n");
  ASSERT_TRUE(lengths.ok());
  ClosedLoop loop = LoopTo(server);
  loop.workload = {.batch = 2, .lengths = &*lengths};
  const absl::StatusOr<LoadResult> result = RunClosedLoop(loop);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->inputs_by_tokens.size(), 2u);
  EXPECT_EQ(result->inputs_by_tokens.at(3) + result->inputs_by_tokens.at(7), 2 * 50);
}

}  // namespace
}  // namespace bench
