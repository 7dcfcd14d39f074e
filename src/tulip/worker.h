#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/clock.h"
#include "common/metrics.h"
#include "common/mutex.h"
#include "common/status.h"
#include "rose/runtime/engine.h"
#include "tulip/graph_metrics.h"
#include "tulip/request_spans.h"
#include "tulip/sched/batch_buffer.h"
#include "tulip/sched/batch_former.h"
#include "tulip/sched/request_queue.h"
#include "tulip/sched/schedule.h"
#include "tulip/step.h"
#include "tulip/worker_metrics.h"
#include "wire/inference.h"

namespace tulip {

struct WorkerOptions {
  QueueLimits limits = {};
  Schedule schedule = Schedule::kFcfs;
  std::string device_label = {};  ///< Of its metrics: no other worker of its model has it.
  common::Duration spin = {};  ///< How long its threads spin for work before they sleep: from the
                               ///< last that was under way.
  const common::Clock& clock = common::Clock::Steady();  ///< Any thread; outlives the worker.
  /// Told once, with the cause, when the worker gives its engine up. On the completion thread; does
  /// not block.
  std::function<void(const absl::Status&)> on_failure = nullptr;
};

/// Owns one engine and the two threads that keep it busy (docs/ENGINE.md, "Tulip"): the engine
/// thread forms batches while earlier ones run, the completion thread answers. Every accepted
/// request is answered exactly once.
///
/// A step that fails ends the engine's service, for what is wrong with a device rarely passes: its
/// requests are told Internal, what waits and what comes later Unavailable, all with the cause.
/// Only where memory ran out the step alone has failed.
class Worker {
 public:
  using Callback = wire::InferenceClient::Callback;

  /// `info` describes `engine`, all but the schedule; `metrics` outlives the worker. Starts the
  /// threads.
  Worker(std::unique_ptr<rose::Engine> engine, wire::ModelInfo info, const WorkerOptions& options,
         common::Metrics& metrics);
  /// Shutdown at once: what waits is answered Unavailable.
  ~Worker();

  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Validates and queues; never blocks. `done` must not block; it runs before Submit returns if
  /// the request is refused, else on the completion thread. Errors as InferenceClient::Infer. Any
  /// thread.
  void Submit(wire::InferenceRequest request, Callback done);

  /// Refuses new requests, finishes the accepted ones until `deadline`, answers Unavailable to
  /// those that have not run by then, waits for the steps in flight and ends the threads. A second
  /// call does nothing. One thread at a time; not from a callback.
  void Shutdown(common::TimePoint deadline);

  const wire::ModelInfo& info() const { return info_; }
  /// False once the engine has been given up.
  bool healthy() const { return healthy_.load(std::memory_order_relaxed); }
  /// Tokens that wait or run; a request counts from the return of its Submit. Any thread.
  int64_t load_tokens() const { return load_tokens_.load(std::memory_order_relaxed); }

 private:
  // The caller's thread.
  absl::Status Enqueue(RequestList& one);
  void Refuse(absl::Status status, const Callback& done);

  // The engine thread.
  void RunEngine();
  Step* FormStep();
  void HandOver(Step& step);

  // The completion thread.
  void RunCompletion();
  Step* NextLaunched();
  void Complete(Step& step);
  void Record(Step& step);
  void GiveUp(const absl::Status& cause);
  void Answer(Request& request, int64_t load_tokens, const StepTimes& times);

  /// Until when a thread that begins to wait spins.
  common::TimePoint SpinEnd() const { return common::Clock::Steady().Now() + spin_; }
  /// Gauges and load_tokens_ are atomics; set with mutex_ held, they never show an older depth
  /// after a newer one.
  void ShowLoad() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool CanForm() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return formed_ - completed_ < steps_.size();
  }

  const std::unique_ptr<rose::Engine> engine_;
  const wire::ModelInfo info_;
  const common::Clock& clock_;
  const common::Duration spin_;
  const std::function<void(const absl::Status&)> on_failure_;
  WorkerMetrics metrics_;
  GraphMetrics graph_metrics_;  ///< Engine thread.
  BatchFormer former_;          ///< Engine thread, with mutex_ held.
  BatchBuffer buffer_;          ///< Engine thread.
  common::TimePoint ready_;     ///< Completion thread: when the latest step's rows were there.
  absl::Status failure_;        ///< Completion thread: why the engine has been given up.
  std::atomic<bool> healthy_{true};
  std::atomic<int64_t> load_tokens_{0};

  /// A ring: step n lives in steps_[n % size]. The engine thread has those from launched_ to
  /// formed_, the completion thread those from completed_ to launched_.
  std::vector<Step> steps_;

  common::Mutex mutex_;
  common::ConditionVariable work_or_capacity_;
  common::ConditionVariable launched_step_;
  common::ConditionVariable idle_;
  RequestQueue queue_ ABSL_GUARDED_BY(mutex_);
  uint64_t formed_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t launched_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t completed_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t in_flight_tokens_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status refusal_ ABSL_GUARDED_BY(mutex_);     ///< Why no request is accepted any more.
  bool abandoning_ ABSL_GUARDED_BY(mutex_) = false;  ///< What waits is answered Unavailable.
  bool engine_ended_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread engine_thread_;
  std::thread completion_thread_;
};

}  // namespace tulip
