#include "bench/inference_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "bench/closed_loop.h"

namespace bench {
namespace {

using std::chrono::milliseconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using Callback = wire::InferenceClient::Callback;

/// Each row: the sequence's first id, and its length.
wire::InferenceResult AnswerOf(const wire::InferenceRequest& request) {
  wire::InferenceResult result;
  result.sequences = static_cast<int32_t>(request.lengths.size());
  result.dense.columns = 2;
  size_t at = 0;
  for (const int32_t length : request.lengths) {
    result.dense.values.push_back(static_cast<float>(request.ids[at]));
    result.dense.values.push_back(static_cast<float>(length));
    at += static_cast<size_t>(length);
  }
  return result;
}

TEST(InferenceTarget, SendsIdsAsTheyAreAndGivesTheirVectors) {
  InferenceTarget target(
      [](const wire::InferenceRequest& request, const Callback& done) {
        EXPECT_EQ(request.model, "m");
        done(AnswerOf(request));
      },
      "m");
  const auto vectors = target.Embed({.ids = {{7, 8}, {9}}, .tokens = {2, 1}});
  ASSERT_TRUE(vectors.ok()) << vectors.status();
  EXPECT_THAT(*vectors, ElementsAre(ElementsAre(7, 2), ElementsAre(9, 1)));
}

TEST(InferenceTarget, MeasuresUntilTheAnswerIsThere) {
  constexpr milliseconds kDelay{5};
  std::mutex mutex;
  std::vector<std::thread> threads;
  InferenceTarget target(
      [&](const wire::InferenceRequest& request, const Callback& done) {
        const std::lock_guard lock(mutex);
        threads.emplace_back([request, done, kDelay] {
          std::this_thread::sleep_for(kDelay);
          done(AnswerOf(request));
        });
      },
      "");
  const ClosedLoop loop = {.target = &target,
                           .workload = {.batch = 3, .length = 4},
                           .clients = 2,
                           .requests = 10,
                           .warmup = 1};
  const absl::StatusOr<LoadResult> result = RunClosedLoop(loop);
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->latency.count, 10);
  EXPECT_GE(result->latency.min_ms, kDelay.count());
  EXPECT_EQ(result->dimensions, 2);
  EXPECT_EQ(result->tokens, 10 * 3 * 4);
}

TEST(InferenceTarget, PassesOnWhatWentWrong) {
  InferenceTarget target(
      [](const wire::InferenceRequest&, const Callback& done) {
        done(absl::ResourceExhaustedError("the queue is full"));
      },
      "");
  EXPECT_THAT(std::string(RunClosedLoop({.target = &target}).status().message()),
              HasSubstr("the queue is full"));
}

TEST(InferenceTarget, RefusesTexts) {
  InferenceTarget target([](const wire::InferenceRequest&, const Callback&) {}, "");
  EXPECT_THAT(std::string(target.Connect({{.texts = {"a"}}}).status().message()),
              HasSubstr("takes token ids"));
}

TEST(InferenceTarget, HasANullTarget) {
  const InferenceTarget target([](const wire::InferenceRequest&, const Callback&) {}, "");
  const auto null = target.MakeNull(3, 4);
  ASSERT_TRUE(null.ok()) << null.status();
  const auto vectors = (*null)->Embed({.ids = {{1}, {2}, {3}}, .tokens = {1, 1, 1}});
  ASSERT_TRUE(vectors.ok()) << vectors.status();
  EXPECT_EQ(vectors->size(), 3u);
  EXPECT_THAT(*vectors, Each(ElementsAre(0, 0, 0, 0)));
}

}  // namespace
}  // namespace bench
