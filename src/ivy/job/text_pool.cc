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
    const std::lock_guard lock(mutex_);
    if (stopped_ || short_.size() + long_.size() >= waiting_max_) return false;
  }
  Continue(lane, std::move(task));
  return true;
}

void TextPool::Continue(Lane lane, Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    (lane == Lane::kShort ? short_ : long_).push_back(std::move(task));
  }
  // The one woken may be the thread that takes no long steps.
  lane == Lane::kShort ? work_.notify_one() : work_.notify_all();
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
  std::unique_lock lock(mutex_);
  while (true) {
    Queue* queue = nullptr;
    work_.wait(lock, [&] { return stopped_ || (queue = NextFor(index)) != nullptr; });
    if (stopped_) return;
    Task task = std::move(queue->front());
    queue->pop_front();
    lock.unlock();
    try {
      task();
    } catch (const std::exception& error) {
      spdlog::error("text pool: {}", error.what());
    }
    task = nullptr;  // what it holds goes without the lock
    lock.lock();
  }
}

void TextPool::Stop() {
  Queue dropped_short, dropped_long;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped_short.swap(short_);
    dropped_long.swap(long_);
  }
  work_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace ivy
