#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/check.h"
#include "rose/runtime/engine.h"

namespace tulip {

/// For tests: an engine whose row for a sequence is {first id, last id, length, prompt length}, so
/// that a row tells whose it is, and whose steps end when the test says so.
class FakeEngine final : public rose::Engine {
 public:
  static constexpr int64_t kColumns = 4;
  static constexpr int64_t kMaxLength = 64;
  static constexpr int64_t kVocabularySize = 1'000'000;

  // First ids that make trouble.
  static constexpr int32_t kNanId = 999'001;  ///< The sequence's row holds a NaN.
  static constexpr int32_t kThrowInStepId = 999'002;
  static constexpr int32_t kThrowInWaitId = 999'003;
  static constexpr int32_t kWrongShapeId = 999'004;
  static constexpr int32_t kNoMemoryId = 999'005;  ///< Memory runs out while the step runs.

  struct Options {
    int64_t budget_tokens = 32;
    int steps_in_flight_max = 2;
    bool held = false;                       ///< Steps end only after Release.
    std::chrono::microseconds step_time{0};  ///< A step takes this long, at least.
  };

  /// What one Step was given.
  struct SeenBatch {
    std::vector<int32_t> first_ids{};
    std::vector<uint8_t> normalize{};
    int64_t tokens = 0;
  };

  explicit FakeEngine(const Options& options) : options_(options), held_(options.held) {
    info_.outputs[hub::Output::kDense] = {.columns = kColumns};
    info_.vocabulary_size = kVocabularySize;
    info_.step_tokens_max = kMaxLength;
    info_.step_sequences_max = kMaxLength;
    info_.saturation_tokens = options.budget_tokens;
  }
  ~FakeEngine() override { CHECK(alive_ == 0) << "rows outlived the engine"; }

  const rose::EngineInfo& info() const override { return info_; }
  int steps_in_flight_max() const override { return options_.steps_in_flight_max; }
  rose::GraphCounters graph_counters() const override {
    const std::lock_guard lock(mutex_);
    return graph_counters_;
  }
  void SetGraphCounters(const rose::GraphCounters& counters) {
    const std::lock_guard lock(mutex_);
    graph_counters_ = counters;
  }

  std::unique_ptr<rose::LazyTensor> Step(const rose::Batch& batch) override {
    CHECK(++alive_ <= options_.steps_in_flight_max) << "too many steps in flight";
    auto rows = std::make_unique<Rows>(*this);
    SeenBatch seen = {.normalize = {batch.normalize.begin(), batch.normalize.end()},
                      .tokens = batch.tokens()};
    for (int64_t i = 0; i < batch.sequences(); ++i) {
      rows->Add(batch, i);
      seen.first_ids.push_back(batch.ids[batch.cu_seqlens[i]]);
    }
    const std::lock_guard lock(mutex_);
    rows->number = static_cast<int>(seen_.size());
    seen_.push_back(std::move(seen));
    changed_.notify_all();
    for (const int32_t id : seen_.back().first_ids) {
      if (id == kThrowInStepId) throw std::runtime_error("no memory for the step");
    }
    return rows;
  }

  /// Lets `steps` more steps end.
  void Release(int steps) {
    const std::lock_guard lock(mutex_);
    released_ += steps;
    changed_.notify_all();
  }

  /// Lets all steps end, from now on.
  void ReleaseAll() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }

  /// Blocks until the engine has been given this many steps in all.
  void WaitForSteps(size_t steps) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return seen_.size() >= steps; });
  }

  std::vector<SeenBatch> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  class Rows final : public rose::LazyTensor {
   public:
    explicit Rows(FakeEngine& engine) : engine_(engine) {}
    ~Rows() override { --engine_.alive_; }

    void Add(const rose::Batch& batch, int64_t i) {
      const int32_t begin = batch.cu_seqlens[i];
      const int32_t end = batch.cu_seqlens[i + 1];
      const int32_t id = batch.ids[begin];
      throws_ |= id == kThrowInWaitId;
      no_memory_ |= id == kNoMemoryId;
      columns_ = id == kWrongShapeId ? kColumns - 1 : columns_;
      values_.push_back(static_cast<float>(id));
      values_.push_back(static_cast<float>(batch.ids[end - 1]));
      values_.push_back(id == kNanId ? std::numeric_limits<float>::quiet_NaN()
                                     : static_cast<float>(end - begin));
      values_.push_back(batch.prompt_lengths.empty() ? 0.0F
                                                     : static_cast<float>(batch.prompt_lengths[i]));
    }

    bool Ready() const override {
      const std::lock_guard lock(engine_.mutex_);
      return engine_.Ended(number);
    }

    hub::PerOutput<rose::OutputRows> Wait() override {
      std::unique_lock lock(engine_.mutex_);
      engine_.changed_.wait(lock, [this] { return engine_.Ended(number); });
      lock.unlock();
      std::this_thread::sleep_for(engine_.options_.step_time);
      if (no_memory_) throw std::bad_alloc();
      if (throws_) throw std::runtime_error("the device is gone");
      hub::PerOutput<rose::OutputRows> rows;
      rows[hub::Output::kDense] = {.values = values_,
                                   .rows = static_cast<int64_t>(values_.size()) / kColumns,
                                   .columns = columns_};
      return rows;
    }

    int number = 0;

   private:
    FakeEngine& engine_;
    std::vector<float> values_;
    int64_t columns_ = kColumns;
    bool throws_ = false;
    bool no_memory_ = false;
  };

  bool Ended(int number) const { return !held_ || number < released_; }

  const Options options_;
  rose::EngineInfo info_;
  std::atomic<int> alive_{0};

  mutable std::mutex mutex_;  ///< Guards all below it.
  std::condition_variable changed_;
  bool held_;
  int released_ = 0;
  std::vector<SeenBatch> seen_;
  rose::GraphCounters graph_counters_;
};

}  // namespace tulip
