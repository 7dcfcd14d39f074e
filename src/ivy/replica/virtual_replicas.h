#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/clock.h"
#include "ivy/replica/replica.h"

// For tests: Tulips that live on a virtual clock.

namespace ivy {

/// Things that happen in the order of their times. One thread.
class VirtualWorld {
 public:
  common::VirtualClock& clock() { return clock_; }
  common::TimePoint now() const { return clock_.Now(); }

  void At(common::TimePoint time, std::function<void()> what) {
    events_.emplace(std::max(time, now()), std::move(what));
  }
  void In(common::Duration delay, std::function<void()> what) {
    At(now() + delay, std::move(what));
  }
  /// Lets happen what happens until then.
  void RunUntil(common::TimePoint end) {
    while (!events_.empty() && events_.begin()->first <= end) {
      auto event = events_.extract(events_.begin());
      clock_.Advance(event.key() - now());
      event.mapped()();
    }
    if (now() < end) clock_.Advance(end - now());
  }
  void RunFor(common::Duration time) { RunUntil(now() + time); }

 private:
  common::VirtualClock clock_;
  std::multimap<common::TimePoint, std::function<void()>> events_;
};

/// What stands at an address; the test turns its switches.
struct VirtualTulip {
  enum class Mode {
    kAnswers,
    kHangs,    ///< Takes chunks and answers none.
    kBreaks,   ///< Unavailable, at once.
    kFull,     ///< ResourceExhausted, at once.
    kGarbage,  ///< Answers with a row too few.
  };
  Mode mode = Mode::kAnswers;
  bool serving = true;
  bool punctual = true;  ///< Its replica gives up at deadlines; else an answer may come late.
  std::shared_ptr<const wire::ModelInfo> info = std::make_shared<wire::ModelInfo>();
  double us_per_token = 1;

  /// The first id of each request that came in, in order; and the tokens that were answered.
  std::vector<int32_t> seen{};
  int64_t answered_tokens = 0;
  int64_t load_tokens = 0;
  int connections = 0;  ///< Replicas that reach for it.
  common::TimePoint free_at{};
};

/// Its row for a sequence is its first id.
inline wire::InferenceResult AnswerOf(const wire::InferenceRequest& request) {
  wire::InferenceResult result;
  result.sequences = static_cast<int32_t>(request.lengths.size());
  result.dense.columns = 1;
  std::size_t id = 0;
  for (const int32_t length : request.lengths) {
    result.dense.values.push_back(static_cast<float>(request.ids[id]));
    id += static_cast<std::size_t>(length);
  }
  return result;
}

/// The way to a VirtualTulip. Works on one chunk after the other; gives up at deadlines, as gRPC
/// does, unless told otherwise.
class VirtualReplica final : public Replica {
 public:
  using Answer = std::function<wire::InferenceResult(const wire::InferenceRequest&)>;

  VirtualReplica(std::string address, VirtualWorld& world, VirtualTulip& tulip, Answer answer)
      : address_(std::move(address)), world_(world), tulip_(tulip), answer_(std::move(answer)) {
    ++tulip_.connections;
  }
  ~VirtualReplica() override {
    --tulip_.connections;
    while (!calls_->empty()) End(calls_->begin()->first, absl::CancelledError("ended"));
  }

  const std::string& address() const override { return address_; }
  std::shared_ptr<const wire::ModelInfo> info() const override { return tulip_.info; }
  bool serving() const override { return tulip_.serving; }

  void Infer(wire::InferenceRequest request, Callback done) override {
    using Mode = VirtualTulip::Mode;
    tulip_.seen.push_back(request.ids.front());
    if (!tulip_.serving || tulip_.mode == Mode::kBreaks) {
      return done(absl::UnavailableError("broken"));
    }
    if (tulip_.mode == Mode::kFull) return done(absl::ResourceExhaustedError("full"));
    const auto tokens = static_cast<int64_t>(request.ids.size());
    const int call = next_++;
    tulip_.load_tokens += tokens;
    calls_->emplace(call, Call{tokens, std::move(done)});
    const auto end = [this, call, calls = std::weak_ptr(calls_)](auto what) {
      if (!calls.expired()) End(call, std::move(what));
    };
    if (tulip_.punctual || tulip_.mode == Mode::kHangs) {
      world_.At(request.deadline, [end] { end(absl::DeadlineExceededError("late")); });
    }
    if (tulip_.mode == Mode::kHangs) return;
    const auto work = std::chrono::duration<double, std::micro>(tulip_.us_per_token *
                                                                static_cast<double>(tokens));
    tulip_.free_at =
        std::max(tulip_.free_at, world_.now()) + std::chrono::duration_cast<common::Duration>(work);
    wire::InferenceResult result = answer_(request);
    if (tulip_.mode == Mode::kGarbage) --result.sequences;
    world_.At(tulip_.free_at, [end, result = std::move(result)] { end(result); });
  }

 private:
  struct Call {
    int64_t tokens;
    Callback done;
  };

  void End(int call, absl::StatusOr<wire::InferenceResult> result) {
    auto ended = calls_->extract(call);
    if (ended.empty()) return;
    tulip_.load_tokens -= ended.mapped().tokens;
    if (result.ok()) {
      tulip_.answered_tokens += ended.mapped().tokens;
      result->load_tokens = tulip_.load_tokens;
    }
    ended.mapped().done(std::move(result));
  }

  const std::string address_;
  VirtualWorld& world_;
  VirtualTulip& tulip_;
  const Answer answer_;
  int next_ = 0;
  std::shared_ptr<std::map<int, Call>> calls_ = std::make_shared<std::map<int, Call>>();
};

/// All that stands at addresses.
class VirtualTulips {
 public:
  explicit VirtualTulips(VirtualWorld& world, VirtualReplica::Answer answer = AnswerOf)
      : world_(world), answer_(std::move(answer)) {}

  VirtualTulip& operator[](const std::string& address) { return tulips_[address]; }
  ReplicaFactory Factory() {
    return [this](const std::string& address) {
      return std::make_unique<VirtualReplica>(address, world_, tulips_[address], answer_);
    };
  }

 private:
  VirtualWorld& world_;
  const VirtualReplica::Answer answer_;
  std::map<std::string, VirtualTulip> tulips_;
};

}  // namespace ivy
