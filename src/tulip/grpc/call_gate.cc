#include "tulip/grpc/call_gate.h"

namespace tulip {

bool CallGate::Enter() {
  const std::lock_guard lock(mutex_);
  calls_ += open_ ? 1 : 0;
  return open_;
}

void CallGate::Leave() {
  const std::lock_guard lock(mutex_);
  if (--calls_ == 0) empty_.notify_all();
}

void CallGate::Close(common::TimePoint deadline) {
  std::unique_lock lock(mutex_);
  open_ = false;
  empty_.wait_until(lock, deadline, [this] { return calls_ == 0; });
}

}  // namespace tulip
