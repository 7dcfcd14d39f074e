#include "tulip/in_process_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tulip/worker_fixture.h"

namespace tulip {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One client over two workers, each with a FakeEngine of its own.
class InProcessClientTest : public ::testing::Test {
 protected:
  void Start(const FakeEngine::Options& options) {
    std::vector<Worker*> workers;
    for (const char* label : {"a", "b"}) {
      auto engine = std::make_unique<FakeEngine>(options);
      engines_.push_back(engine.get());
      workers_.push_back(std::make_unique<Worker>(std::move(engine), DescribeFake(),
                                                  WorkerOptions{.device_label = label}, metrics_));
      workers.push_back(workers_.back().get());
    }
    client_ = std::make_unique<InProcessClient>(std::move(workers));
  }

  /// A failed assertion must not leave a step held, or the workers' end would wait for it.
  void TearDown() override {
    for (FakeEngine* engine : engines_) engine->ReleaseAll();
  }

  void Infer(int key, wire::InferenceRequest request) {
    client_->Infer(std::move(request), answers_.Expect(key));
  }

  std::vector<int64_t> loads() const {
    return {workers_[0]->load_tokens(), workers_[1]->load_tokens()};
  }

  /// Steps so far, by worker.
  std::vector<std::size_t> steps() const {
    return {engines_[0]->seen().size(), engines_[1]->seen().size()};
  }

  Answers answers_;
  common::Metrics metrics_;
  std::vector<FakeEngine*> engines_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<InProcessClient> client_;
};

TEST_F(InProcessClientTest, IdleWorkersTakeTurns) {
  Start({});
  EXPECT_EQ(client_->Engines(), 2);
  EXPECT_EQ(client_->Info().engines, 2);
  for (int key = 0; key < 6; ++key) {
    Infer(key, MakeRequest({3}));
    EXPECT_TRUE(answers_.Get(key).ok());
  }
  EXPECT_THAT(steps(), ElementsAre(3, 3));
  EXPECT_THAT(metrics_.Text(), HasSubstr("parterre_steps_total{device=\"a\",model=\"m\"} 3\n"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("parterre_steps_total{device=\"b\",model=\"m\"} 3\n"));
}

TEST_F(InProcessClientTest, TheLessLoadedIsPreferred) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({20}));
  Infer(1, MakeRequest({6, 6}));
  EXPECT_THAT(loads(), ElementsAre(20, 12));
  Infer(2, MakeRequest({7}));
  EXPECT_THAT(loads(), ElementsAre(20, 19));
  Infer(3, MakeRequest({2}));
  EXPECT_THAT(loads(), ElementsAre(20, 21));
  Infer(4, MakeRequest({5}));
  EXPECT_THAT(loads(), ElementsAre(25, 21));
  engines_[0]->ReleaseAll();
  EXPECT_TRUE(answers_.Get(4).ok());
  EXPECT_THAT(loads(), ElementsAre(0, 21));
  Infer(5, MakeRequest({20}));
  EXPECT_TRUE(answers_.Get(5).ok()) << "what runs counts, not only what waits";
}

TEST_F(InProcessClientTest, AFailedWorkerIsLeftAloneWhileAnotherWorks) {
  Start({});
  Infer(0, MakeRequest({1}, FakeEngine::kThrowInWaitId));
  EXPECT_EQ(answers_.Get(0).status().code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(client_->Healthy());
  EXPECT_THAT(steps(), ElementsAre(1, 0));
  for (int key = 1; key <= 5; ++key) {
    Infer(key, MakeRequest({1}));
    EXPECT_TRUE(answers_.Get(key).ok());
  }
  EXPECT_THAT(steps(), ElementsAre(1, 5));

  Infer(6, MakeRequest({1}, FakeEngine::kThrowInWaitId));
  EXPECT_EQ(answers_.Get(6).status().code(), absl::StatusCode::kInternal);
  EXPECT_FALSE(client_->Healthy());
  for (int key = 7; key <= 10; ++key) {
    Infer(key, MakeRequest({1}));
    EXPECT_EQ(answers_.Get(key).status(),
              absl::UnavailableError("fake: its engine has failed: forward failed: the device is "
                                     "gone"));
  }
  EXPECT_THAT(steps(), ElementsAre(1, 6));
}

TEST_F(InProcessClientTest, ALoadedWorkerIsPreferredToAFailedOne) {
  Start({.steps_in_flight_max = 1, .held = true});
  engines_[0]->ReleaseAll();
  Infer(0, MakeRequest({1}, FakeEngine::kThrowInWaitId));
  EXPECT_FALSE(answers_.Get(0).ok());
  for (int key = 1; key <= 4; ++key) Infer(key, MakeRequest({30}));
  EXPECT_THAT(loads(), ElementsAre(0, 120));
}

TEST_F(InProcessClientTest, EachRequestGetsItsOwnRowsInOrder) {
  constexpr int kThreads = 4;
  constexpr int kRequests = 100;
  Start({.budget_tokens = 8});
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread] {
      for (int i = 0; i < kRequests; ++i) {
        const int key = thread * kRequests + i;
        Infer(key, MakeRequest({3, 1, 7}, key * 20));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int key = 0; key < kThreads * kRequests; ++key) {
    const auto answer = answers_.Get(key);
    ASSERT_TRUE(answer.ok()) << answer.status();
    const auto id = static_cast<float>(key * 20);
    EXPECT_THAT(answer->dense.values,
                ElementsAre(id, id + 2, 3, 0, id + 3, id + 3, 1, 0, id + 4, id + 10, 7, 0));
  }
  EXPECT_THAT(steps(), ElementsAre(::testing::Gt(0U), ::testing::Gt(0U)));
}

TEST_F(InProcessClientTest, ShutdownAnswersWhatEachWorkerHas) {
  Start({.budget_tokens = 2, .held = true});
  for (int key = 0; key < 10; ++key) Infer(key, MakeRequest({1, 2}));
  for (FakeEngine* engine : engines_) engine->ReleaseAll();
  for (const auto& worker : workers_) worker->Shutdown(common::TimePoint::max());
  for (int key = 0; key < 10; ++key) {
    ASSERT_TRUE(answers_.Has(key)) << "answered before Shutdown returns";
    EXPECT_TRUE(answers_.Get(key).ok());
  }
  Infer(10, MakeRequest({1}));
  EXPECT_EQ(answers_.Get(10).status(), absl::UnavailableError("shutting down"));
}

TEST_F(InProcessClientTest, DescribesItsWorkersAsOneModel) {
  Start({});
  EXPECT_EQ(client_->Info().name, "m");
  EXPECT_EQ(client_->Info().device, "fake");
  EXPECT_EQ(client_->Info().dimension, FakeEngine::kColumns);
}

}  // namespace
}  // namespace tulip
