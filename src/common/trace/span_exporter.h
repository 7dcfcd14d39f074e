#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "common/metrics.h"
#include "common/mutex.h"
#include "common/trace/otlp_json.h"
#include "common/trace/span.h"

namespace common {

/// What a collector said to a batch of spans.
struct UploadAnswer {
  enum class Kind { kTaken, kLater, kRefused };
  Kind kind = Kind::kTaken;
  std::string fault{};                                ///< Unless it was taken.
  std::optional<std::chrono::seconds> retry_after{};  ///< Of kLater, if it says; heeded.
};

/// The way to a collector. One thread, but for Hurry.
class SpanUploader {
 public:
  virtual ~SpanUploader() = default;
  /// Blocks, for a bounded time.
  virtual UploadAnswer Upload(const std::string& body) = 0;
  /// From now on an upload, also one under way, ends about when the deadline comes. Any thread.
  virtual void Hurry(TimePoint deadline) = 0;
};

struct SpanExporterOptions {
  std::size_t queue_max = 8192;                      ///< Spans that wait; more are dropped.
  std::size_t batch_max = 512;                       ///< Spans of one upload.
  Duration interval = std::chrono::seconds(1);       ///< The longest that one waits for company.
  Duration first_backoff = std::chrono::seconds(1);  ///< After an upload that failed; then doubled.
  Duration last_backoff = std::chrono::seconds(30);
  int attempts = 5;  ///< To upload a batch.
};

/// Sends spans to a collector, in batches, from a thread of its own. Requests never wait for it:
/// what it cannot keep up with is dropped and counted.
class SpanExporter final : public SpanSink {
 public:
  /// `metrics` outlives the exporter.
  SpanExporter(std::unique_ptr<SpanUploader> uploader, TraceResource resource,
               const SpanExporterOptions& options, Metrics& metrics);
  /// Drops what waits.
  ~SpanExporter() override;

  void Take(SpanRecord span) override;

  /// Sends what waits as far as the deadline allows, each batch once more at most, drops the rest,
  /// and ends the thread. What is taken later is dropped. A second call does nothing. One thread at
  /// a time.
  void Shutdown(TimePoint deadline);

 private:
  using Queue = std::deque<SpanRecord>;

  void Run();
  Queue TakeAll();
  void Send(std::span<const SpanRecord> batch);
  UploadAnswer Upload(const std::string& body);
  bool Ending();
  bool Pause(Duration backoff);
  void Tell(const UploadAnswer& answer);

  const std::unique_ptr<SpanUploader> uploader_;
  const TraceResource resource_;
  const SpanExporterOptions options_;
  prometheus::Counter& exported_;
  prometheus::Counter& dropped_full_;
  prometheus::Counter& dropped_failed_;
  bool failing_ = false;  ///< The exporting thread's.

  Mutex mutex_;
  ConditionVariable changed_;
  Queue waiting_ ABSL_GUARDED_BY(mutex_);
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  TimePoint deadline_ ABSL_GUARDED_BY(mutex_) = TimePoint::max();  ///< To end by.

  std::thread thread_;
};

}  // namespace common
