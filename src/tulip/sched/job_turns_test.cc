// Turns between jobs, seen from the batches that are formed of them.
#include "tulip/sched/job_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "tulip/sched/batch_former.h"
#include "tulip/sched/make_request.h"

namespace tulip {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr QueueLimits kUnbounded = {.max_queue_tokens = 1'000'000'000,
                                    .max_concurrent_requests = 100'000'000};

class FairServer {
 public:
  explicit FairServer(int64_t budget_tokens)
      : queue_(kUnbounded, Schedule::kFair), former_(budget_tokens, budget_tokens) {}

  const Request* Push(uint64_t job, const std::vector<int32_t>& lengths) {
    wire::InferenceRequest asked = MakeRequest(lengths);
    asked.job = job;
    asked.cancel = cancel_;
    RequestList one = ListOfOne(std::move(asked));
    const Request* request = &one.front();
    EXPECT_TRUE(queue_.Push(one).ok());
    return request;
  }

  /// Tokens of each job in the next batch.
  std::map<uint64_t, int64_t> Form() {
    BatchPlan plan;
    former_.Form(queue_, clock_.Now(), plan);
    std::map<uint64_t, int64_t> tokens;
    for (const Slice& slice : plan.slices) tokens[slice.request->asked.job] += slice.tokens;
    ended_.splice(ended_.end(), plan.ended);
    return tokens;
  }

  static bool Taken(const Request* request) {
    return request->sequences_taken == request->sequences();
  }
  RequestQueue& queue() { return queue_; }
  common::VirtualClock& clock() { return clock_; }

  /// That of the next requests to be pushed.
  std::shared_ptr<wire::CancelToken> cancel_;

 private:
  common::VirtualClock clock_;
  RequestQueue queue_;
  BatchFormer former_;
  RequestList ended_;  ///< Kept, so that requests can be looked at.
};

std::vector<int32_t> Same(std::size_t sequences, int32_t tokens) {
  return std::vector<int32_t>(sequences, tokens);
}

TEST(JobTurns, JobsShareABatchAndRequestsOfAJobItsShare) {
  FairServer server(120);
  for (int i = 0; i < 3; ++i) server.Push(1, Same(10, 10));
  server.Push(2, Same(30, 10));
  server.Push(3, Same(30, 10));
  EXPECT_THAT(server.Form(), ElementsAre(Pair(1, 40), Pair(2, 40), Pair(3, 40)));
  EXPECT_THAT(server.Form(), ElementsAre(Pair(1, 40), Pair(2, 40), Pair(3, 40)));
}

TEST(JobTurns, WithoutANameARequestIsAJob) {
  FairServer server(90);
  server.Push(7, Same(30, 10));
  server.Push(0, Same(30, 10));
  server.Push(0, Same(30, 10));
  EXPECT_THAT(server.Form(), ElementsAre(Pair(0, 60), Pair(7, 30)));
}

TEST(JobTurns, RequestsOfAJobGoInOrderOfArrival) {
  FairServer server(50);
  const Request* first = server.Push(1, Same(5, 10));
  const Request* second = server.Push(1, Same(1, 10));
  server.Form();
  EXPECT_TRUE(FairServer::Taken(first));
  EXPECT_FALSE(FairServer::Taken(second));
}

TEST(JobTurns, ShortSequencesGetAsManyTokensAsLongOnes) {
  FairServer server(400);
  server.Push(1, Same(100, 5));
  server.Push(2, Same(100, 100));
  EXPECT_THAT(server.Form(), ElementsAre(Pair(1, 200), Pair(2, 200)));
}

TEST(JobTurns, WhatAJobDoesNotNeedTheOthersGet) {
  FairServer server(120);
  server.Push(1, Same(1, 10));
  server.Push(2, Same(100, 10));
  EXPECT_THAT(server.Form(), ElementsAre(Pair(1, 10), Pair(2, 110)));
}

TEST(JobTurns, AJobThatWasAwayHasSavedNothing) {
  FairServer server(100);
  server.Push(1, Same(1, 10));
  server.Push(2, Same(1000, 10));
  for (int i = 0; i < 5; ++i) server.Form();
  server.Push(1, Same(1000, 10));
  EXPECT_THAT(server.Form(), ElementsAre(Pair(1, 50), Pair(2, 50)));
}

TEST(JobTurns, TheCancelledMakeWayAndTheirJobGoesOn) {
  FairServer server(20);
  server.cancel_ = std::make_shared<wire::CancelToken>();
  server.Push(1, Same(1, 500));
  const std::shared_ptr<wire::CancelToken> cancel = std::exchange(server.cancel_, nullptr);
  server.Push(1, Same(5, 10));
  server.Push(2, Same(5, 10));
  cancel->Cancel();
  server.clock().Advance(BatchFormer::kSweepInterval);
  EXPECT_THAT(server.Form(), ElementsAre(Pair(1, 10), Pair(2, 10)));
  EXPECT_EQ(server.queue().tokens(), 80);
}

TEST(JobTurns, ThousandsOfJobsAreAllServed) {
  FairServer server(1000);
  for (uint64_t job = 1; job <= 5000; ++job) server.Push(job, Same(1 + job % 3, 1 + job % 50));
  std::map<uint64_t, int64_t> tokens;
  while (!server.queue().empty()) {
    for (const auto& [job, more] : server.Form()) tokens[job] += more;
  }
  EXPECT_EQ(tokens.size(), 5000U);
  for (const auto& [job, done] : tokens) {
    ASSERT_EQ(done, static_cast<int64_t>((1 + job % 3) * (1 + job % 50)));
  }
  EXPECT_THAT(server.Form(), IsEmpty());
}

/// Bulk jobs that always wait, of sequences of every length; small requests that come between.
class FairTraffic {
 public:
  static constexpr int64_t kBudgetTokens = 12'800;

  FairTraffic(uint32_t seed, int64_t jobs, int32_t longest)
      : random_(seed), jobs_(jobs), longest_(longest), server_(kBudgetTokens) {
    for (int64_t job = 1; job <= jobs_; ++job) Feed(job);
  }

  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  /// Tokens of each bulk job in the next batch.
  std::map<uint64_t, int64_t> Form() {
    auto tokens = server_.Form();
    tokens.erase(0);
    for (const auto& [job, taken] : tokens) {
      waiting_[job] -= taken;
      Feed(job);
    }
    return tokens;
  }

  const Request* PushSmall(int32_t tokens) { return server_.Push(0, {tokens}); }
  int64_t jobs() const { return jobs_; }
  int64_t longest() const { return longest_; }

 private:
  /// Keeps more waiting than a batch takes of one job.
  void Feed(uint64_t job) {
    while (waiting_[job] <= 2 * (kBudgetTokens / jobs_ + longest_)) {
      std::vector<int32_t> lengths(Pick(1, 10));
      for (int32_t& length : lengths) length = static_cast<int32_t>(Pick(1, longest_));
      waiting_[job] += std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
      server_.Push(job, lengths);
    }
  }

  std::mt19937 random_;
  const int64_t jobs_;
  const int64_t longest_;
  FairServer server_;
  std::map<uint64_t, int64_t> waiting_;
};

/// However the bulk jobs came and how far each is: a small request no larger than its share of a
/// batch waits for nothing but the steps in flight and the one in which it runs.
TEST(JobTurns, ASmallRequestIsInTheNextBatch) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const auto longest = static_cast<int32_t>(1 + random() % 512);
    FairTraffic traffic(seed, 1 + random() % (seed % 10 == 0 ? 1000 : 50), longest);
    for (int64_t i = traffic.Pick(0, 20); i > 0; --i) {
      for (int64_t j = traffic.Pick(0, 5); j > 0; --j) traffic.PushSmall(traffic.Pick(1, 64));
      traffic.Form();
    }
    traffic.Form();
    const int64_t share = (FairTraffic::kBudgetTokens - traffic.longest()) / (traffic.jobs() + 1);
    if (share < 1) continue;
    const auto tokens = static_cast<int32_t>(std::min<int64_t>(share, traffic.Pick(1, 512)));
    const Request* small = traffic.PushSmall(tokens);
    traffic.Form();
    ASSERT_TRUE(FairServer::Taken(small))
        << "seed " << seed << ", " << traffic.jobs() << " jobs, " << tokens << " tokens";
  }
}

TEST(JobTurns, JobsThatWaitHaveHadTheSameButForASequenceOrTwo) {
  for (uint32_t seed = 0; seed < 15; ++seed) {
    std::mt19937 random(seed);
    FairTraffic traffic(seed, 2 + random() % 40, static_cast<int32_t>(1 + random() % 512));
    std::map<uint64_t, int64_t> had;
    for (int batch = 0; batch < 50; ++batch) {
      for (int64_t j = traffic.Pick(0, 50); j > 0; --j) traffic.PushSmall(traffic.Pick(1, 64));
      for (const auto& [job, tokens] : traffic.Form()) had[job] += tokens;
      if (std::ssize(had) < traffic.jobs()) continue;
      const auto [least, most] = std::minmax_element(
          had.begin(), had.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      ASSERT_LE(most->second - least->second, 2 * traffic.longest()) << "seed " << seed;
    }
  }
}

/// More small requests than can be served, each a job of its own: bulk jobs go on all the same,
/// each with the share of one job among all that wait.
TEST(JobTurns, AFloodOfSmallRequestsStarvesNobody) {
  constexpr int32_t kTokens = 32;
  FairTraffic traffic(/*seed=*/1, /*jobs=*/4, /*longest=*/kTokens);
  double share = 0;
  int64_t arrived = 0;
  std::map<uint64_t, int64_t> had;
  for (int64_t batch = 0; batch < 100; ++batch) {
    for (int64_t i = 0; i < FairTraffic::kBudgetTokens / 30; ++i, ++arrived) {
      traffic.PushSmall(kTokens);
    }
    const int64_t left = arrived - batch * FairTraffic::kBudgetTokens / kTokens;
    share += static_cast<double>(FairTraffic::kBudgetTokens) / static_cast<double>(left + 4);
    for (const auto& [job, tokens] : traffic.Form()) had[job] += tokens;
  }
  for (uint64_t job = 1; job <= 4; ++job) EXPECT_GT(had[job], share / 2) << job;
}

}  // namespace
}  // namespace tulip
