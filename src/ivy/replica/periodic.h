#pragma once

#include <functional>
#include <thread>

#include "common/clock.h"
#include "common/mutex.h"

namespace ivy {

/// A thread that does something now and then, from the start until it is ended.
class Periodic {
 public:
  /// `pause`: between the end of one and the beginning of the next.
  Periodic(common::Duration pause, std::function<void()> work);
  /// Waits for what is under way.
  ~Periodic();

  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  void Run();

  const common::Duration pause_;
  const std::function<void()> work_;
  common::Mutex mutex_;
  common::ConditionVariable stopping_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace ivy
