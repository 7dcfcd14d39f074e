#include "common/trace/span_exporter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/log.h"

namespace common {
namespace {

/// Of what a collector may ask for; a Duration does not hold every number of them.
constexpr std::chrono::seconds kPauseMax = std::chrono::hours(24);

prometheus::Counter& Dropped(Metrics& metrics, const char* reason) {
  return metrics.Counter("parterre_trace_spans_dropped_total",
                         "Spans that never reached the collector", {{"reason", reason}});
}

/// What the system's clock says when the steady one says 0; looked at anew for each batch, since
/// the system's clock is set now and then.
std::chrono::nanoseconds Epoch() {
  return std::chrono::system_clock::now().time_since_epoch() -
         std::chrono::steady_clock::now().time_since_epoch();
}

}  // namespace

SpanExporter::SpanExporter(std::unique_ptr<SpanUploader> uploader, TraceResource resource,
                           const SpanExporterOptions& options, Metrics& metrics)
    : uploader_(std::move(uploader)),
      resource_(std::move(resource)),
      options_(options),
      exported_(
          metrics.Counter("parterre_trace_spans_exported_total", "Spans that the collector took")),
      dropped_full_(Dropped(metrics, "queue_full")),
      dropped_failed_(Dropped(metrics, "export_failed")),
      thread_([this] { Run(); }) {}

SpanExporter::~SpanExporter() { Shutdown(TimePoint::min()); }

void SpanExporter::Take(SpanRecord span) {
  bool wake = false;
  {
    const MutexLock lock(mutex_);
    if (ending_ || waiting_.size() >= options_.queue_max) {
      dropped_full_.Increment();
      return;
    }
    waiting_.push_back(std::move(span));
    // The first starts the clock, a whole batch need not wait for it.
    wake = waiting_.size() == 1 || waiting_.size() == options_.batch_max;
  }
  if (wake) changed_.NotifyOne();
}

void SpanExporter::Shutdown(TimePoint deadline) {
  if (!thread_.joinable()) return;
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    deadline_ = deadline;
  }
  changed_.NotifyOne();
  uploader_->Hurry(deadline);
  thread_.join();
}

void SpanExporter::Run() {
  while (true) {
    Queue spans = TakeAll();
    if (spans.empty()) return;
    while (!spans.empty()) {
      const auto size = static_cast<std::ptrdiff_t>(std::min(spans.size(), options_.batch_max));
      const auto end = spans.begin() + size;
      const std::vector<SpanRecord> batch(std::make_move_iterator(spans.begin()),
                                          std::make_move_iterator(end));
      spans.erase(spans.begin(), end);
      Send(batch);
    }
  }
}

/// Waits for a batch, or for the interval. Empty: no more will come.
SpanExporter::Queue SpanExporter::TakeAll() {
  MutexLock lock(mutex_);
  while (!ending_ && waiting_.empty()) changed_.Wait(lock);
  const TimePoint until = Clock::Steady().Now() + options_.interval;
  while (!ending_ && waiting_.size() < options_.batch_max && changed_.WaitUntil(lock, until)) {
    continue;
  }
  return std::exchange(waiting_, {});
}

void SpanExporter::Send(std::span<const SpanRecord> batch) {
  UploadAnswer answer = {.kind = UploadAnswer::Kind::kLater};
  if (Pause(Duration::zero())) answer = Upload(OtlpJson(resource_, batch, Epoch()));
  const bool taken = answer.kind == UploadAnswer::Kind::kTaken;
  (taken ? exported_ : dropped_failed_).Increment(static_cast<double>(batch.size()));
}

/// Tries until it is taken or refused, the attempts are spent, or time is up.
UploadAnswer SpanExporter::Upload(const std::string& body) {
  Duration backoff = options_.first_backoff;
  for (int attempt = 1;; ++attempt) {
    const bool last = attempt == options_.attempts || Ending();
    UploadAnswer answer = uploader_->Upload(body);
    Tell(answer);
    if (answer.kind != UploadAnswer::Kind::kLater || last) return answer;
    const Duration pause = answer.retry_after ? std::min(*answer.retry_after, kPauseMax) : backoff;
    if (!Pause(pause)) return answer;
    backoff = std::min(2 * backoff, options_.last_backoff);
  }
}

bool SpanExporter::Ending() {
  const MutexLock lock(mutex_);
  return ending_;
}

/// Waits, unless it is to end. False once the deadline has come.
bool SpanExporter::Pause(Duration backoff) {
  MutexLock lock(mutex_);
  const TimePoint until = std::chrono::steady_clock::now() + backoff;
  while (!ending_ && changed_.WaitUntil(lock, until)) continue;
  return std::chrono::steady_clock::now() < deadline_;
}

/// Once when it begins to fail, and once when that is over.
void SpanExporter::Tell(const UploadAnswer& answer) {
  const bool fails = answer.kind != UploadAnswer::Kind::kTaken;
  if (fails == failing_) return;
  failing_ = fails;
  if (fails) {
    spdlog::warn("traces are not exported: {}", answer.fault);
  } else {
    spdlog::info("traces are exported again");
  }
}

}  // namespace common
