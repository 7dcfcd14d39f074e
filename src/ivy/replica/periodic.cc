#include "ivy/replica/periodic.h"

#include <utility>

namespace ivy {

Periodic::Periodic(common::Duration pause, std::function<void()> work)
    : pause_(pause), work_(std::move(work)), thread_([this] { Run(); }) {}

Periodic::~Periodic() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stopping_.notify_all();
  thread_.join();
}

void Periodic::Run() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    lock.unlock();
    work_();
    lock.lock();
    stopping_.wait_for(lock, pause_, [this] { return stopped_; });
  }
}

}  // namespace ivy
