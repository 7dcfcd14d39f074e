#include "ivy/replica/periodic.h"

#include <utility>

namespace ivy {

Periodic::Periodic(common::Duration pause, std::function<void()> work)
    : pause_(pause), work_(std::move(work)), thread_([this] { Run(); }) {}

Periodic::~Periodic() {
  {
    const common::MutexLock lock(mutex_);
    stopped_ = true;
  }
  stopping_.NotifyAll();
  thread_.join();
}

void Periodic::Run() {
  common::MutexLock lock(mutex_);
  while (!stopped_) {
    lock.Unlock();
    work_();
    lock.Lock();
    const common::TimePoint next = common::Clock::Steady().Now() + pause_;
    while (!stopped_ && stopping_.WaitUntil(lock, next)) continue;
  }
}

}  // namespace ivy
