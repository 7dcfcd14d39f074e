#pragma once

#include <cstdint>

#include "common/clock.h"
#include "common/mutex.h"

namespace tulip {

/// Counts the calls in hand, and lets no more in once it is closed. gRPC's own shutdown would wait
/// for streams that watch the health, too, which end with their client alone. Any thread.
class CallGate {
 public:
  /// False: it is closed. A call that was let in leaves once.
  bool Enter();
  void Leave();
  /// Closes and waits until all have left, or for the deadline.
  void Close(common::TimePoint deadline);

 private:
  common::Mutex mutex_;
  common::ConditionVariable empty_;
  int64_t calls_ ABSL_GUARDED_BY(mutex_) = 0;
  bool open_ ABSL_GUARDED_BY(mutex_) = true;
};

}  // namespace tulip
