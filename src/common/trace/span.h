#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/clock.h"
#include "common/status.h"
#include "common/trace/trace_context.h"

namespace common {

enum class SpanKind { kInternal = 1, kServer = 2, kClient = 3 };  ///< OTLP's numbers.

/// What a span was, once it is over.
struct SpanRecord {
  using Value = std::variant<int64_t, std::string>;

  TraceContext context{};  ///< Its own.
  SpanId parent{};         ///< All 0: it has none.
  std::string name{};
  SpanKind kind = SpanKind::kInternal;
  TimePoint start{};
  TimePoint end{};
  std::vector<std::pair<std::string_view, Value>> attributes{};  ///< Keys are constants.
  bool failed = false;
  std::string message{};  ///< Why it failed.
};

/// Takes the spans of all requests that are recorded.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  /// Never blocks. Any thread.
  virtual void Take(SpanRecord span) = 0;
};

/// Where a request stands in its trace, as it is handed from one part to the next: what is done for
/// it hangs below the span of the context.
struct Trace {
  TraceContext context{};
  SpanSink* sink = nullptr;  ///< Outlives the request; null: it is not recorded.

  bool recorded() const { return sink != nullptr; }
};

/// A piece of work on a request. One that is not recorded costs nothing but the copy of its trace.
/// One thread at a time, but trace(), which any may call.
class Span {
 public:
  Span() = default;  ///< Of no trace.
  /// Begins below `parent`; not recorded if that is not.
  Span(const Trace& parent, std::string_view name, TimePoint start,
       SpanKind kind = SpanKind::kInternal);
  /// Begins below the span of `parent`, if that is valid; as `trace`.
  Span(const TraceContext& parent, Trace trace, TimePoint start, SpanKind kind);

  /// For what is done as part of it.
  const Trace& trace() const { return trace_; }
  /// Ask before working out what only Set takes.
  bool recorded() const { return record_ != nullptr; }

  Span& Name(std::string_view name);
  /// `key` is a constant.
  Span& Set(std::string_view key, int64_t value);
  Span& Set(std::string_view key, std::string_view value);
  Span& Fail(std::string_view message);
  Span& Fail(const absl::Status& status);  ///< Unless it is OK.
  /// Hands it to the sink; what is asked of it later has no effect. A span that is not ended is not
  /// handed over.
  void End(TimePoint end);

 private:
  Trace trace_;
  std::unique_ptr<SpanRecord> record_;  ///< From start to end, if it is recorded.
};

}  // namespace common
