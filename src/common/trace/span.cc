#include "common/trace/span.h"

#include "common/trace/trace_ids.h"

namespace common {
namespace {

/// That of a new span there.
Trace Below(const Trace& parent) {
  Trace trace = parent;
  if (trace.recorded()) trace.context.span_id = RandomSpanId();
  return trace;
}

}  // namespace

Span::Span(const TraceContext& parent, Trace trace, TimePoint start, SpanKind kind)
    : trace_(std::move(trace)) {
  if (!trace_.recorded()) return;
  record_ = std::make_unique<SpanRecord>();
  record_->context = trace_.context;
  record_->parent = parent.span_id;
  record_->kind = kind;
  record_->start = start;
}

Span::Span(const Trace& parent, std::string_view name, TimePoint start, SpanKind kind)
    : Span(parent.context, Below(parent), start, kind) {
  Name(name);
}

Span& Span::Name(std::string_view name) {
  if (recorded()) record_->name = name;
  return *this;
}

Span& Span::Set(std::string_view key, int64_t value) {
  if (recorded()) record_->attributes.emplace_back(key, value);
  return *this;
}

Span& Span::Set(std::string_view key, std::string_view value) {
  if (recorded()) record_->attributes.emplace_back(key, std::string(value));
  return *this;
}

Span& Span::Fail(std::string_view message) {
  if (!recorded()) return *this;
  record_->failed = true;
  record_->message = message;
  return *this;
}

Span& Span::Fail(const absl::Status& status) {
  return status.ok() ? *this : Fail({status.message().data(), status.message().size()});
}

void Span::End(TimePoint end) {
  if (!recorded()) return;
  record_->end = end;
  trace_.sink->Take(std::move(*std::exchange(record_, nullptr)));
}

}  // namespace common
