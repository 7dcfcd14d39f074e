#include "tulip/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/check.h"
#include "common/log.h"
#include "tulip/request_check.h"
#include "tulip/sched/outcome.h"

namespace tulip {

using std::chrono::microseconds;

namespace {

int64_t BudgetTokens(const rose::EngineInfo& engine) {
  return std::min(engine.saturation_tokens, engine.step_tokens_max);
}

common::Metrics::Labels LabelsOf(const wire::ModelInfo& info, const WorkerOptions& options) {
  return {{"model", info.name}, {"device", options.device_label}};
}

wire::ModelInfo WithSchedule(wire::ModelInfo info, Schedule schedule) {
  info.schedule = ScheduleName(schedule);
  return info;
}

}  // namespace

Worker::Worker(std::unique_ptr<rose::Engine> engine, wire::ModelInfo info,
               const WorkerOptions& options, common::Metrics& metrics)
    : engine_(std::move(engine)),
      info_(WithSchedule(std::move(info), options.schedule)),
      clock_(options.clock),
      spin_(options.spin),
      on_failure_(options.on_failure),
      metrics_(metrics, LabelsOf(info_, options), BudgetTokens(engine_->info())),
      graph_metrics_(metrics, LabelsOf(info_, options)),
      former_(BudgetTokens(engine_->info()), engine_->info().step_sequences_max),
      buffer_(engine_->info().step_tokens_max),
      steps_(engine_->steps_in_flight_max()),
      queue_(options.limits, options.schedule) {
  CHECK(info_.max_length <= engine_->info().step_tokens_max);
  CHECK(!steps_.empty());
  for (Step& step : steps_) {
    step.plan.slices.reserve(
        std::min(former_.sequences_max(), options.limits.max_concurrent_requests));
  }
  engine_thread_ = std::thread([this] { RunEngine(); });
  completion_thread_ = std::thread([this] { RunCompletion(); });
}

Worker::~Worker() { Shutdown(common::TimePoint::min()); }

void Worker::Submit(wire::InferenceRequest request, Callback done) {
  if (absl::Status status = CheckRequest(request, info_); !status.ok()) {
    Refuse(std::move(status), done);
    return;
  }
  RequestList one;
  one.emplace_back(std::move(request), std::move(done), clock_.Now());
  if (absl::Status status = Enqueue(one); !status.ok()) Refuse(std::move(status), one.front().done);
}

void Worker::Refuse(absl::Status status, const Callback& done) {
  metrics_.CountRejected(status.code());
  done(std::move(status));
}

absl::Status Worker::Enqueue(RequestList& one) {
  bool can_form = false;
  {
    const common::MutexLock lock(mutex_);
    RETURN_IF_ERROR(refusal_);
    RETURN_IF_ERROR(queue_.Push(one));
    ShowLoad();
    can_form = CanForm();
  }
  // Without capacity the engine thread is woken by the step that makes room.
  if (can_form) work_or_capacity_.NotifyOne();
  return absl::OkStatus();
}

void Worker::ShowLoad() {
  const int64_t load_tokens = queue_.tokens() + in_flight_tokens_;
  load_tokens_.store(load_tokens, std::memory_order_relaxed);
  metrics_.load_tokens.Set(static_cast<double>(load_tokens));
  metrics_.queue_tokens.Set(static_cast<double>(queue_.tokens()));
  metrics_.queue_sequences.Set(static_cast<double>(queue_.sequences()));
}

void Worker::Shutdown(common::TimePoint deadline) {
  {
    common::MutexLock lock(mutex_);
    refusal_.Update(absl::UnavailableError("shutting down"));
    // In one breath with the refusal: past the deadline nothing more is started.
    abandoning_ = deadline <= common::Clock::Steady().Now();
    work_or_capacity_.NotifyOne();
    while ((!queue_.empty() || formed_ != completed_) && idle_.WaitUntil(lock, deadline)) continue;
    abandoning_ = true;
    work_or_capacity_.NotifyOne();
  }
  if (engine_thread_.joinable()) engine_thread_.join();
  if (completion_thread_.joinable()) completion_thread_.join();
}

void Worker::RunEngine() {
  graph_metrics_.Show(engine_->graph_counters());  // Those made before the first step.
  while (Step* step = FormStep()) {
    step->Launch(*engine_, buffer_, clock_.Now());
    HandOver(*step);
  }
  const common::MutexLock lock(mutex_);
  engine_ended_ = true;
  launched_step_.NotifyOne();
}

/// Waits for work and capacity. Null when no more work will come.
Step* Worker::FormStep() {
  common::TimePoint asleep = SpinEnd();
  common::MutexLock lock(mutex_);
  while (queue_.empty() ? refusal_.ok() : !CanForm()) {
    work_or_capacity_.WaitSpinning(lock, asleep);
    // Whoever gets the answers of what is under way may ask again at once.
    if (formed_ != completed_) asleep = SpinEnd();
  }
  if (queue_.empty()) return nullptr;
  Step& step = steps_[formed_++ % steps_.size()];
  if (abandoning_) {
    BatchFormer::EndAll(queue_, step.plan);
  } else {
    former_.Form(queue_, clock_.Now(), step.plan);
  }
  in_flight_tokens_ += step.plan.tokens;
  ShowLoad();
  return &step;
}

void Worker::HandOver(Step& step) {
  if (!step.plan.slices.empty()) {
    metrics_.CountStep(step.plan);
    metrics_.launch_duration_seconds.Observe(clock_.Now() - step.launched());
    graph_metrics_.Show(engine_->graph_counters());
  }
  {
    const common::MutexLock lock(mutex_);
    ++launched_;
  }
  launched_step_.NotifyOne();
}

void Worker::RunCompletion() {
  while (Step* step = NextLaunched()) Complete(*step);
}

/// Waits for the oldest launched step. Null when no more will come.
Step* Worker::NextLaunched() {
  const common::TimePoint asleep = SpinEnd();
  common::MutexLock lock(mutex_);
  while (completed_ == launched_ && !engine_ended_) launched_step_.WaitSpinning(lock, asleep);
  return completed_ < launched_ ? &steps_[completed_ % steps_.size()] : nullptr;
}

void Worker::Complete(Step& step) {
  const bool ran = !step.plan.slices.empty();
  if (ran) Record(step);
  const StepTimes times = {.launched = step.launched(), .ready = ran ? ready_ : step.launched()};
  RequestList ended = std::move(step.plan.ended);
  const int64_t tokens = step.plan.tokens;
  step.Clear();
  int64_t load_tokens = 0;
  {
    const common::MutexLock lock(mutex_);
    ++completed_;
    in_flight_tokens_ -= tokens;
    ShowLoad();
    load_tokens = queue_.tokens() + in_flight_tokens_;
  }
  // The engine thread goes on before the answers are given.
  work_or_capacity_.NotifyOne();
  idle_.NotifyAll();
  for (Request& request : ended) Answer(request, load_tokens, times);
  if (ran) metrics_.finish_duration_seconds.Observe(clock_.Now() - ready_);
}

void Worker::Record(Step& step) {
  const auto rows = step.Wait(engine_->info().outputs);
  const common::TimePoint engine_free = ready_;
  ready_ = clock_.Now();
  // The engine runs one step after the other.
  const common::TimePoint begun = std::max(engine_free, step.launched());
  metrics_.batch_wait_duration_seconds.Observe(begun - step.launched());
  metrics_.engine_busy_seconds.Increment(std::chrono::duration<double>(ready_ - begun).count());
  if (!rows.ok()) {
    metrics_.failed_steps.Increment();
    spdlog::error("{}: {}: step of {} sequences, {} tokens: {}", info_.name, info_.device,
                  step.plan.sequences, step.plan.tokens, std::string(rows.status().message()));
    RecordFailure(step.plan, rows.status());
    if (!absl::IsResourceExhausted(rows.status())) GiveUp(rows.status());
    return;
  }
  const rose::EngineInfo& engine = engine_->info();
  const int64_t nonfinite =
      RecordRows(step.plan, {.outputs = *rows,
                             .shapes = engine.outputs,
                             .sparse_ids_left_out = engine.sparse_ids_left_out,
                             .compute = ready_ - step.launched()});
  if (nonfinite > 0) metrics_.nonfinite_rows.Increment(static_cast<double>(nonfinite));
}

void Worker::GiveUp(const absl::Status& cause) {
  if (!failure_.ok()) return;
  failure_ = absl::UnavailableError(
      fmt::format("{}: its engine has failed: {}", info_.device, std::string(cause.message())));
  healthy_.store(false, std::memory_order_relaxed);
  {
    const common::MutexLock lock(mutex_);
    refusal_.Update(failure_);
    abandoning_ = true;
  }
  work_or_capacity_.NotifyOne();
  if (on_failure_) on_failure_(failure_);
}

void Worker::Answer(Request& request, int64_t load_tokens, const StepTimes& times) {
  metrics_.CountEnded(request);
  if (request.ending == Ending::kShutdown) request.status.Update(failure_);
  absl::StatusOr<wire::InferenceResult> outcome = TakeOutcome(request);
  if (outcome.ok()) {
    outcome->load_tokens = load_tokens;
    metrics_.queue_duration_seconds.Observe(microseconds(outcome->timing.queue_us));
    metrics_.compute_duration_seconds.Observe(microseconds(outcome->timing.compute_us));
  }
  RecordSpans(request, outcome, times);
  request.done(std::move(outcome));
}

}  // namespace tulip
