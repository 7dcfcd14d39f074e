#include "ivy/job/text_pool.h"

#include <algorithm>
#include <utility>

#include "common/log.h"

namespace ivy {

TextPool::TextPool(int threads, std::size_t waiting_max) : waiting_max_(waiting_max) {
  for (int i = 0; i < std::max(2, threads); ++i) {
    threads_.emplace_back([this, i] { Run(i); });
  }
}

bool TextPool::Submit(Lane lane, Task task) {
  {
    const common::MutexLock lock(mutex_);
    if (stopped_ || short_.size() + long_.size() >= waiting_max_) return false;
  }
  Continue(lane, std::move(task));
  return true;
}

void TextPool::Continue(Lane lane, Task task) {
  {
    const common::MutexLock lock(mutex_);
    if (stopped_) return;
    (lane == Lane::kShort ? short_ : long_).push_back(std::move(task));
  }
  // The one woken may be the thread that takes no long steps.
  lane == Lane::kShort ? work_.NotifyOne() : work_.NotifyAll();
}

/// Thread 0 takes short steps only, thread 1 long ones first; so neither lane starves.
TextPool::Queue* TextPool::NextFor(int index) {
  if (index == 0) return short_.empty() ? nullptr : &short_;
  Queue& first = index == 1 ? long_ : short_;
  Queue& second = index == 1 ? short_ : long_;
  if (!first.empty()) return &first;
  return second.empty() ? nullptr : &second;
}

void TextPool::Run(int index) {
  common::MutexLock lock(mutex_);
  while (true) {
    Queue* queue = nullptr;
    while (!stopped_ && (queue = NextFor(index)) == nullptr) work_.Wait(lock);
    if (stopped_) return;
    Task task = std::move(queue->front());
    queue->pop_front();
    lock.Unlock();
    try {
      task();
    } catch (const std::exception& error) {
      spdlog::error("text pool: {}", error.what());
    }
    task = nullptr;  // what it holds goes without the lock
    lock.Lock();
  }
}

void TextPool::Stop() {
  Queue dropped_short, dropped_long;
  {
    const common::MutexLock lock(mutex_);
    stopped_ = true;
    dropped_short.swap(short_);
    dropped_long.swap(long_);
  }
  work_.NotifyAll();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace ivy
