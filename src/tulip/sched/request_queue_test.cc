#include "tulip/sched/request_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tulip/sched/make_request.h"

namespace tulip {
namespace {

using ::testing::HasSubstr;

constexpr QueueLimits kLimits = {.max_queue_tokens = 100, .max_concurrent_requests = 4};

TEST(RequestQueue, CountsWhatWaits) {
  RequestQueue queue(kLimits);
  RequestList one = ListOfOne(MakeRequest({10, 20, 30}));
  ASSERT_TRUE(queue.Push(one).ok());
  EXPECT_TRUE(one.empty());
  EXPECT_EQ(queue.tokens(), 60);
  EXPECT_EQ(queue.sequences(), 3);
  RequestList ended;
  queue.Take(1, 10, {}, ended);
  EXPECT_TRUE(ended.empty());
  EXPECT_EQ(queue.tokens(), 50);
  EXPECT_EQ(queue.sequences(), 2);
  queue.EndFront(Ending::kCancelled, ended);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.tokens(), 0);
  EXPECT_EQ(queue.sequences(), 0);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().ending, Ending::kCancelled);
}

TEST(RequestQueue, TokenBoundIsExactAndTheRefusalHasTheNumbers) {
  RequestQueue queue(kLimits);
  RequestList first = ListOfOne(MakeRequest({60}));
  RequestList second = ListOfOne(MakeRequest({41}));
  RequestList third = ListOfOne(MakeRequest({40}));
  ASSERT_TRUE(queue.Push(first).ok());
  const absl::Status refused = queue.Push(second);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(refused.message(),
            "queue full: 60 tokens wait, 41 more exceed --max-queue-tokens (100)");
  EXPECT_EQ(second.size(), 1U);
  EXPECT_EQ(queue.tokens(), 60);
  EXPECT_TRUE(queue.Push(third).ok());
}

TEST(RequestQueue, SequenceBoundCountsSequencesNotCalls) {
  RequestQueue queue(kLimits);
  RequestList first = ListOfOne(MakeRequest({1, 1, 1}));
  RequestList second = ListOfOne(MakeRequest({1, 1}));
  RequestList third = ListOfOne(MakeRequest({1}));
  ASSERT_TRUE(queue.Push(first).ok());
  const absl::Status refused = queue.Push(second);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("3 sequences wait, 2 more exceed --max-concurrent-requests (4)"));
  EXPECT_TRUE(queue.Push(third).ok());
}

TEST(RequestQueue, ARequestEndsWithItsLastSequence) {
  RequestQueue queue(kLimits);
  RequestList one = ListOfOne(MakeRequest({10, 20}));
  ASSERT_TRUE(queue.Push(one).ok());
  RequestList ended;
  queue.Take(2, 30, {}, ended);
  EXPECT_TRUE(queue.empty());
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().ending, Ending::kTaken);
}

TEST(RequestQueue, EndIfKeepsTheOrderOfTheOthers) {
  RequestQueue queue(kLimits);
  for (const int32_t length : {1, 2, 3}) {
    RequestList one = ListOfOne(MakeRequest({length}));
    ASSERT_TRUE(queue.Push(one).ok());
  }
  RequestList ended;
  queue.EndIf(
      [](const Request& request) {
        return request.tokens() == 2 ? std::optional(Ending::kDeadline) : std::nullopt;
      },
      ended);
  EXPECT_EQ(queue.tokens(), 4);
  EXPECT_EQ(ended.front().ending, Ending::kDeadline);
  EXPECT_EQ(queue.front().tokens(), 1);
  queue.Take(1, 1, {}, ended);
  EXPECT_EQ(queue.front().tokens(), 3);
}

}  // namespace
}  // namespace tulip
