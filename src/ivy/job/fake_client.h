#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ivy/job/fake_tokenizer.h"
#include "wire/inference.h"

// For tests: a replica that needs no weights.

namespace ivy {

/// Outputs that depend on a sequence's ids alone. Answers on a thread of its own; can be held back,
/// fail, and tells what it was asked. It gives what info().outputs says, dense vectors by default.
class FakeClient final : public wire::InferenceClient {
 public:
  explicit FakeClient(int dimension = 8) {
    info_.name = info_.family = "fake";
    info_.dtype = "float32";
    info_.device = "cpu";
    info_.pooling = "mean";
    info_.fingerprint = "f00d";
    info_.outputs = hub::Output::kDense;
    info_.dimension = dimension;
    info_.labels = 1;
    info_.hidden_size = 4;
    info_.colbert_dimension = 2;
    info_.max_length = 16;
    info_.vocabulary_size = FakeTokenizer::kVocabulary;
    info_.max_batch_tokens = 64;
    info_.saturation_tokens = 32;
    info_.batch_curve = {{16, 100}, {32, 150}};
    thread_ = std::thread([this] { Run(); });
  }
  ~FakeClient() override {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      held_ = false;
    }
    changed_.notify_all();
    thread_.join();
  }

  void Infer(wire::InferenceRequest request, Callback done) override {
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      absl::Status refusal;
      if (!refusals_.empty()) {
        refusal = refusals_.front();
        refusals_.pop_front();
      }
      waiting_.push_back({std::move(request), std::move(done), std::move(refusal)});
      outstanding_max_ = std::max(outstanding_max_, waiting_.size());
    }
    changed_.notify_all();
  }
  bool Ready() const override { return ready; }
  const wire::ModelInfo& Info() const override { return ready ? info_ : expected; }
  bool Healthy() const override { return healthy; }

  wire::ModelInfo& info() { return info_; }
  std::atomic<bool> healthy{true};
  std::atomic<bool> ready{true};
  wire::ModelInfo expected;  ///< What is known until it is ready.
  double logit_scale = 3;    ///< The largest logit; set before anything is asked.

  /// While held, nothing is answered.
  void Hold() { SetHeld(true); }
  void Release() { SetHeld(false); }
  /// The next calls of Infer end with these, one each; OK: as usual.
  void Refuse(std::deque<absl::Status> refusals) {
    const std::lock_guard lock(mutex_);
    refusals_ = std::move(refusals);
  }
  /// Row `row` of the dense vectors of the next result gets a NaN.
  void Spoil(int row) {
    const std::lock_guard lock(mutex_);
    spoiled_row_ = row;
  }
  std::vector<wire::InferenceRequest> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  /// The same, which are then forgotten.
  std::vector<wire::InferenceRequest> TakeRequests() {
    const std::lock_guard lock(mutex_);
    return std::exchange(requests_, {});
  }
  std::size_t outstanding_max() {
    const std::lock_guard lock(mutex_);
    return outstanding_max_;
  }
  /// Waits until `count` requests have come in since the start.
  void AwaitRequests(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return requests_.size() >= count; });
  }
  /// Waits until `count` of them have been answered.
  void AwaitAnswers(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answers_ >= count; });
  }

  /// The vector of a sequence, before any cut.
  std::vector<float> VectorOf(const std::vector<int32_t>& ids, bool normalize = true) const {
    std::vector<float> vector;
    double sum = 0;
    const double seed = Seed(ids);
    for (int i = 0; i < info_.dimension; ++i) {
      vector.push_back(static_cast<float>(std::sin(seed + i)));
      sum += double{vector.back()} * vector.back();
    }
    for (float& value : vector)
      value = static_cast<float>(normalize ? value / std::sqrt(sum) : value);
    return vector;
  }

  std::vector<float> LogitsOf(const std::vector<int32_t>& ids) const {
    std::vector<float> logits;
    for (int i = 0; i < info_.labels; ++i) {
      logits.push_back(static_cast<float>(logit_scale * std::sin(Seed(ids) + 1 + 2 * i)));
    }
    return logits;
  }
  /// A weight for each id that is no special token.
  static std::map<int32_t, float> WeightsOf(const std::vector<int32_t>& ids) {
    std::map<int32_t, float> weights;
    for (const int32_t id : ids) {
      if (id > 2) weights[id] = 0.5F + static_cast<float>(id) / 1024;
    }
    return weights;
  }
  /// `columns` numbers for each token.
  static std::vector<float> RowsOf(const std::vector<int32_t>& ids, int columns) {
    std::vector<float> rows;
    for (const int32_t id : ids) {
      for (int i = 0; i < columns; ++i) rows.push_back(static_cast<float>(std::cos(id + i)));
    }
    return rows;
  }

 private:
  static double Seed(const std::vector<int32_t>& ids) {
    double seed = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) seed += ids[i] * (0.1 + 0.01 * double(i));
    return seed;
  }

  struct Call {
    wire::InferenceRequest request;
    Callback done;
    absl::Status error;
  };

  void SetHeld(bool held) {
    {
      const std::lock_guard lock(mutex_);
      held_ = held;
    }
    changed_.notify_all();
  }

  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return (stopped_ && waiting_.empty()) || Next() >= 0; });
      const int next = Next();
      if (next < 0) return;
      Call call = std::move(waiting_[static_cast<std::size_t>(next)]);
      waiting_.erase(waiting_.begin() + next);
      const int spoiled = std::exchange(spoiled_row_, -1);
      lock.unlock();
      Answer(call, spoiled);
      lock.lock();
      ++answers_;
      changed_.notify_all();
    }
  }

  /// Index of the call to answer: refusals do not wait for Release. -1: none.
  int Next() const {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (!held_ || !waiting_[i].error.ok()) return static_cast<int>(i);
    }
    return -1;
  }

  void Answer(Call& call, int spoiled) const {
    if (!call.error.ok()) return call.done(call.error);
    if (call.request.cancel && call.request.cancel->cancelled()) {
      return call.done(absl::CancelledError("cancelled"));
    }
    wire::InferenceResult result;
    result.sequences = static_cast<int32_t>(call.request.lengths.size());
    auto id = call.request.ids.begin();
    for (const int32_t length : call.request.lengths) {
      Append({id, id + length}, call.request, result);
      id += length;
    }
    if (spoiled >= 0)
      result.dense.values[static_cast<std::size_t>(spoiled * info_.dimension)] = NAN;
    result.timing = {.queue_us = 1000, .compute_us = 2000, .batch_tokens = 1};
    call.done(std::move(result));
  }

  void Append(const std::vector<int32_t>& ids, const wire::InferenceRequest& request,
              wire::InferenceResult& result) const {
    const auto has = [&](hub::Output output) { return request.outputs.Has(output); };
    const auto join = [](const std::vector<float>& row, std::vector<float>& rows) {
      rows.insert(rows.end(), row.begin(), row.end());
    };
    if (has(hub::Output::kDense)) {
      result.dense.columns = info_.dimension;
      join(VectorOf(ids, request.normalize), result.dense.values);
    }
    if (has(hub::Output::kScores)) {
      result.scores.columns = info_.labels;
      join(LogitsOf(ids), result.scores.values);
    }
    if (has(hub::Output::kSparse)) {
      for (const auto& [id, weight] : WeightsOf(ids)) {
        result.sparse.ids.push_back(id);
        result.sparse.weights.push_back(weight);
      }
      result.sparse.offsets.push_back(std::ssize(result.sparse.ids));
    }
    if (has(hub::Output::kTokens)) {
      result.tokens.columns = info_.hidden_size;
      join(RowsOf(ids, info_.hidden_size), result.tokens.values);
      result.tokens.offsets.push_back(result.tokens.offsets.back() + std::ssize(ids));
    }
    if (has(hub::Output::kColbert)) {
      result.colbert.columns = info_.colbert_dimension;
      join(RowsOf({ids.begin() + 1, ids.end()}, info_.colbert_dimension), result.colbert.values);
      result.colbert.offsets.push_back(result.colbert.offsets.back() + std::ssize(ids) - 1);
    }
  }

  wire::ModelInfo info_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Call> waiting_;
  std::deque<absl::Status> refusals_;
  std::vector<wire::InferenceRequest> requests_;
  std::size_t outstanding_max_ = 0;
  std::size_t answers_ = 0;
  int spoiled_row_ = -1;
  bool held_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace ivy
