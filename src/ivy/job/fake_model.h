#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ivy/job/served_model.h"

// For tests: a model that needs no files.

namespace ivy {

/// Words between spaces are tokens, [CLS] 1 in front and [SEP] 2 behind; a word's id depends on its
/// bytes alone. "@" is dropped, so a text of it has no tokens of its own.
class FakeTokenizer final : public text::Tokenizer {
 public:
  static constexpr int kVocabulary = 1000;
  static constexpr std::size_t kMemoryBytes = 4096;

  explicit FakeTokenizer(bool special = true) : special_(special) {}

  std::size_t Encode(std::string_view utf8, const text::EncodeOptions& options, text::Scratch&,
                     std::vector<int32_t>& ids) const override {
    std::vector<int32_t> words;
    while (!utf8.empty()) {
      const std::size_t end = std::min(utf8.find(' '), utf8.size());
      if (end > 0 && utf8.substr(0, end) != "@") words.push_back(IdOf(utf8.substr(0, end)));
      utf8.remove_prefix(std::min(end + 1, utf8.size()));
    }
    words_ += words.size();
    const bool special = special_ && options.add_special_tokens;
    const std::size_t extra = special ? 2 : 0, tokens = words.size() + extra;
    if (options.max_length > 0 && tokens > static_cast<std::size_t>(options.max_length)) {
      const auto cut = static_cast<std::ptrdiff_t>(tokens) - options.max_length;
      options.truncation_side == text::TruncationSide::kRight
          ? words.erase(words.end() - cut, words.end())
          : words.erase(words.begin(), words.begin() + cut);
    }
    if (special) ids.push_back(1);
    ids.insert(ids.end(), words.begin(), words.end());
    if (special) ids.push_back(2);
    return tokens;
  }
  absl::StatusOr<std::size_t> EncodePair(std::string_view, std::string_view,
                                         const text::EncodeOptions&, text::Scratch&,
                                         std::vector<int32_t>&,
                                         std::vector<int32_t>&) const override {
    return absl::UnimplementedError("pairs");
  }
  absl::StatusOr<text::Encoding> EncodeInDetail(std::string_view, std::optional<std::string_view>,
                                                const text::EncodeOptions&,
                                                text::Scratch&) const override {
    return absl::UnimplementedError("offsets");
  }
  std::string Decode(std::span<const int32_t>, bool) const override { return {}; }
  std::string_view PieceOf(int32_t) const override { return {}; }
  int special_tokens() const override { return special_ ? 2 : 0; }
  int special_tokens_of_pair() const override { return special_ ? 3 : 0; }
  int vocabulary_size() const override { return kVocabulary; }
  /// None is remembered.
  text::WordCounts word_counts() const override { return {.words = words_, .split = words_}; }
  std::size_t memory_bytes() const override { return kMemoryBytes; }

  static int32_t IdOf(std::string_view word) {
    uint32_t hash = 0;
    for (const char c : word) hash = hash * 31 + static_cast<unsigned char>(c);
    return static_cast<int32_t>(3 + hash % (kVocabulary - 3));
  }

 private:
  const bool special_;
  mutable std::atomic<uint64_t> words_{0};
};

/// Vectors that depend on a sequence's ids (and prompt length) alone. Answers on a thread of its
/// own; can be held back, fail, and tells what it was asked.
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

  void Embed(wire::InferenceRequest request, Callback done) override {
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
  const wire::ModelInfo& Info() const override { return info_; }
  bool Healthy() const override { return healthy; }

  wire::ModelInfo& info() { return info_; }
  std::atomic<bool> healthy{true};

  /// While held, nothing is answered.
  void Hold() { SetHeld(true); }
  void Release() { SetHeld(false); }
  /// The next calls of Embed end with these, one each; OK: as usual.
  void Refuse(std::deque<absl::Status> refusals) {
    const std::lock_guard lock(mutex_);
    refusals_ = std::move(refusals);
  }
  /// Row `row` of the next result gets a NaN.
  void Spoil(int row) {
    const std::lock_guard lock(mutex_);
    spoiled_row_ = row;
  }
  std::vector<wire::InferenceRequest> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
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
    double seed = 0, sum = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) seed += ids[i] * (0.1 + 0.01 * double(i));
    for (int i = 0; i < info_.dimension; ++i) {
      vector.push_back(static_cast<float>(std::sin(seed + i)));
      sum += double{vector.back()} * vector.back();
    }
    for (float& value : vector)
      value = static_cast<float>(normalize ? value / std::sqrt(sum) : value);
    return vector;
  }

 private:
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
    result.dense.columns = info_.dimension;
    auto id = call.request.ids.begin();
    for (const int32_t length : call.request.lengths) {
      const std::vector<float> vector =
          VectorOf(std::vector<int32_t>(id, id + length), call.request.normalize);
      result.dense.values.insert(result.dense.values.end(), vector.begin(), vector.end());
      id += length;
    }
    if (spoiled >= 0) result.dense.values[static_cast<std::size_t>(spoiled * info_.dimension)] = NAN;
    result.timing = {.queue_us = 1000, .compute_us = 2000, .batch_tokens = 1};
    call.done(std::move(result));
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

/// Folder, tokenizer and client together, named "fake" with the alias "alias".
struct FakeModel {
  FakeModel() {
    folder.name = "fake-folder";
    folder.prompts = {{"query", "ask: now "}, {"empty", ""}};
  }
  ServedModel Served() {
    return {.name = "fake",
            .aliases = {"alias"},
            .folder = &folder,
            .tokenizer = &tokenizer,
            .client = &client};
  }

  hub::ModelFolder folder;
  FakeTokenizer tokenizer;
  FakeClient client;
};

}  // namespace ivy
