#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tulip/fake_engine.h"
#include "tulip/in_process_client.h"
#include "tulip/sched/make_request.h"
#include "tulip/worker.h"

namespace tulip {

/// For tests: collects answers by key and notices a second one.
class Answers {
 public:
  wire::InferenceClient::Callback Expect(int key) {
    return [this, key](absl::StatusOr<wire::InferenceResult> answer) {
      const std::lock_guard lock(mutex_);
      EXPECT_TRUE(answers_.emplace(key, std::move(answer)).second) << "answered twice: " << key;
      arrived_.notify_all();
    };
  }

  /// Blocks until the answer is there.
  absl::StatusOr<wire::InferenceResult> Get(int key) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return answers_.contains(key); });
    return answers_.at(key);
  }

  bool Has(int key) {
    const std::lock_guard lock(mutex_);
    return answers_.contains(key);
  }

  size_t size() {
    const std::lock_guard lock(mutex_);
    return answers_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<int, absl::StatusOr<wire::InferenceResult>> answers_;
};

/// For tests: what a FakeEngine's worker says of itself.
inline wire::ModelInfo DescribeFake() {
  wire::ModelInfo info;
  info.name = "m";
  info.device = "fake";
  info.outputs = hub::Output::kDense;
  info.dimension = FakeEngine::kColumns;
  info.max_length = FakeEngine::kMaxLength;
  info.vocabulary_size = FakeEngine::kVocabularySize;
  info.type_vocabulary_size = 2;
  return info;
}

/// For tests: a worker over a FakeEngine.
class WorkerTest : public ::testing::Test {
 protected:
  void Start(const FakeEngine::Options& options, const QueueLimits& limits = {},
             Schedule schedule = Schedule::kFcfs) {
    auto engine = std::make_unique<FakeEngine>(options);
    engine_ = engine.get();
    worker_ = std::make_unique<Worker>(std::move(engine), DescribeFake(),
                                       WorkerOptions{.limits = limits,
                                                     .schedule = schedule,
                                                     .device_label = "d",
                                                     .spin = spin_,
                                                     .clock = clock_,
                                                     .on_failure = on_failure_},
                                       metrics_);
    client_ = std::make_unique<InProcessClient>(std::vector<Worker*>{worker_.get()});
  }

  /// A failed assertion must not leave a step held, or the worker's end would wait for it.
  void TearDown() override {
    if (worker_ != nullptr) engine_->ReleaseAll();
  }

  void Infer(int key, wire::InferenceRequest request) {
    client_->Infer(std::move(request), answers_.Expect(key));
  }

  /// Embeds small requests under keys from 1000 on until one is refused as the shutdown has begun,
  /// not as the queue is full.
  void EmbedUntilRefused() {
    for (int key = 1000;; ++key) {
      Infer(key, MakeRequest({1}));
      if (answers_.Has(key) && CodeOf(key) == absl::StatusCode::kUnavailable) return;
    }
  }

  absl::StatusCode CodeOf(int key) { return answers_.Get(key).status().code(); }

  Answers answers_;
  common::VirtualClock clock_;
  common::Duration spin_{};  ///< Of the worker that Start makes, as is the next.
  std::function<void(const absl::Status&)> on_failure_;
  common::Metrics metrics_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<InProcessClient> client_;
  FakeEngine* engine_ = nullptr;
};

}  // namespace tulip
