#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "common/trace/span.h"

namespace common {

/// For tests: keeps what it is given. Any thread.
class FakeSpanSink final : public SpanSink {
 public:
  void Take(SpanRecord span) override {
    const std::lock_guard lock(mutex_);
    spans_.push_back(std::move(span));
  }

  /// By their start.
  std::vector<SpanRecord> spans() const {
    const std::lock_guard lock(mutex_);
    std::vector<SpanRecord> spans = spans_;
    std::ranges::stable_sort(spans, {}, &SpanRecord::start);
    return spans;
  }
  std::vector<SpanRecord> Named(std::string_view name) const {
    std::vector<SpanRecord> named = spans();
    std::erase_if(named, [&](const SpanRecord& span) { return span.name != name; });
    return named;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<SpanRecord> spans_;
};

}  // namespace common
