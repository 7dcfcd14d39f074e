#pragma once

#include <memory>
#include <string>

#include "bench/overhead/passage.h"
#include "common/status.h"
#include "wire/inference.h"

namespace bench {

/// One way that a request can go, there and back.
class RequestPath {
 public:
  /// The way's time runs from one mark to the other.
  RequestPath(std::string name, Mark first, Mark last)
      : name_(std::move(name)), first_(first), last_(last) {}
  virtual ~RequestPath() = default;

  const std::string& name() const { return name_; }
  Mark first() const { return first_; }
  Mark last() const { return last_; }

  /// Sends one request and waits for its answer. One at a time.
  virtual absl::Status Ask() = 0;

 private:
  const std::string name_;
  const Mark first_;
  const Mark last_;
};

/// What is in these paths outlives them.

/// A thread that is woken through a condition variable, from kStepped to kAwaited: what each hand
/// over of the way costs at least.
std::unique_ptr<RequestPath> MakeWakeUpPath(Recorder& recorder);

/// Token ids straight to a client that records nothing, or records more than kAsked and `last`.
std::unique_ptr<RequestPath> MakeClientPath(std::string name, wire::InferenceClient& client,
                                            Mark last, int tokens);

}  // namespace bench
