// Many threads embed, cancel, run into deadlines, bounds and bad rows at once. Also run under
// ThreadSanitizer.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "tulip/worker_fixture.h"

namespace tulip {
namespace {

constexpr int kThreads = 6;
constexpr int kRequestsPerThread = 1500;

/// With threads that sleep when they wait, and with threads that spin all the time.
class WorkerConcurrencyTest : public WorkerTest,
                              public ::testing::WithParamInterface<common::Duration> {
 protected:
  WorkerConcurrencyTest() { spin_ = GetParam(); }

  /// One client: embeds its requests one after the other without waiting for answers.
  void RunClient(int client, int requests) {
    std::mt19937 random(client);
    const auto pick = [&random](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    std::shared_ptr<wire::CancelToken> earlier;
    for (int i = 0; i < requests; ++i) {
      std::vector<int32_t> lengths(pick(1, 6));
      for (int32_t& length : lengths) length = pick(1, 20);
      wire::InferenceRequest request = MakeRequest(lengths, client * 100'000 + i * 10);
      if (pick(0, 40) == 0) request.ids[0] = FakeEngine::kNanId;
      if (pick(0, 9) == 0) request.deadline = clock_.Now() + std::chrono::microseconds(pick(0, 50));
      auto cancel = std::make_shared<wire::CancelToken>();
      request.cancel = cancel;
      Submit(std::move(request));
      if (earlier != nullptr && pick(0, 4) == 0) earlier->Cancel();
      earlier = std::move(cancel);
      clock_.Advance(std::chrono::microseconds(1));
      if (pick(0, 7) == 0) std::this_thread::yield();
    }
  }

  void Submit(wire::InferenceRequest request) {
    ++submitted_;
    const int32_t first_id = request.ids[0];
    const std::vector<int32_t> lengths = request.lengths;
    auto answered = std::make_shared<std::atomic<bool>>(false);
    client_->Infer(std::move(request), [this, first_id, lengths,
                                        answered](absl::StatusOr<wire::InferenceResult> answer) {
      EXPECT_FALSE(answered->exchange(true)) << "answered twice";
      ++codes_[static_cast<size_t>(answer.status().code())];
      if (answer.ok()) CheckRows(*answer, first_id, lengths);
      if (answer.status().code() == absl::StatusCode::kInternal) {
        EXPECT_EQ(first_id, FakeEngine::kNanId) << answer.status();
      }
    });
  }

  static void CheckRows(const wire::InferenceResult& result, int32_t first_id,
                        const std::vector<int32_t>& lengths) {
    ASSERT_NE(first_id, FakeEngine::kNanId);
    ASSERT_EQ(result.sequences, static_cast<int32_t>(lengths.size()));
    int32_t id = first_id;
    for (size_t row = 0; row < lengths.size(); ++row) {
      const float* values = &result.dense.values[row * FakeEngine::kColumns];
      EXPECT_EQ(values[0], static_cast<float>(id));
      id += lengths[row];
      EXPECT_EQ(values[1], static_cast<float>(id - 1));
      EXPECT_EQ(values[2], static_cast<float>(lengths[row]));
    }
  }

  void RunClients(int requests) {
    std::vector<std::thread> threads;
    for (int client = 0; client < kThreads; ++client) {
      threads.emplace_back([this, client, requests] { RunClient(client, requests); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  int64_t answered() const {
    int64_t sum = 0;
    for (const auto& count : codes_) sum += count;
    return sum;
  }

  int64_t count(absl::StatusCode code) const { return codes_[static_cast<size_t>(code)]; }

  std::atomic<int64_t> submitted_{0};
  std::array<std::atomic<int64_t>, 17> codes_{};  ///< By absl::StatusCode.
};

INSTANTIATE_TEST_SUITE_P(Spin, WorkerConcurrencyTest,
                         ::testing::Values(common::Duration::zero(), std::chrono::microseconds(20),
                                           std::chrono::hours(1)));

TEST_P(WorkerConcurrencyTest, Bug29_EveryRequestIsAnsweredOnceWithItsOwnRows) {
  Start({.budget_tokens = 48}, {.max_queue_tokens = 600, .max_concurrent_requests = 60});
  RunClients(kRequestsPerThread);
  worker_->Shutdown(common::TimePoint::max());
  EXPECT_EQ(submitted_, kThreads * kRequestsPerThread);
  EXPECT_EQ(answered(), submitted_);
  EXPECT_GT(count(absl::StatusCode::kOk), 0);
  EXPECT_EQ(count(absl::StatusCode::kUnavailable), 0);
  std::printf("%lld requests: %lld ok, %lld cancelled, %lld late, %lld refused, %lld NaN\n",
              static_cast<long long>(submitted_),
              static_cast<long long>(count(absl::StatusCode::kOk)),
              static_cast<long long>(count(absl::StatusCode::kCancelled)),
              static_cast<long long>(count(absl::StatusCode::kDeadlineExceeded)),
              static_cast<long long>(count(absl::StatusCode::kResourceExhausted)),
              static_cast<long long>(count(absl::StatusCode::kInternal)));
}

TEST_P(WorkerConcurrencyTest, ShutdownWhileClientsEmbed) {
  Start({.budget_tokens = 48});
  std::thread clients([this] { RunClients(kRequestsPerThread / 4); });
  while (submitted_ < kThreads * kRequestsPerThread / 8) std::this_thread::yield();
  worker_->Shutdown(common::TimePoint::min());
  clients.join();
  EXPECT_EQ(answered(), submitted_);
}

}  // namespace
}  // namespace tulip
