#include "tulip/grpc/call_gate.h"

namespace tulip {

bool CallGate::Enter() {
  const common::MutexLock lock(mutex_);
  calls_ += open_ ? 1 : 0;
  return open_;
}

void CallGate::Leave() {
  const common::MutexLock lock(mutex_);
  if (--calls_ == 0) empty_.NotifyAll();
}

void CallGate::Close(common::TimePoint deadline) {
  common::MutexLock lock(mutex_);
  open_ = false;
  while (calls_ != 0 && empty_.WaitUntil(lock, deadline)) continue;
}

}  // namespace tulip
