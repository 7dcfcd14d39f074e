#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "common/mutex.h"

namespace ivy {

/// Threads for work on text that is too long for an I/O thread: parsing, tokenizing, rendering.
/// Work goes in steps; a step of kLong never holds up steps of kShort, since one thread takes none.
/// Any thread may submit.
class TextPool {
 public:
  enum class Lane { kShort, kLong };
  using Task = std::function<void()>;
  /// A hop to the pool, some 50 µs where cores fall asleep, costs more than tokenizing this much.
  static constexpr std::size_t kInlineBytes = 8192;

  /// At least two threads are made. `waiting_max`: tasks that may wait when one more is submitted.
  TextPool(int threads, std::size_t waiting_max);
  ~TextPool() { Stop(); }

  /// False if too much waits already (or the pool has stopped).
  bool Submit(Lane lane, Task task);
  /// The next step of work that was admitted before: never refused, goes to the end of the queue.
  void Continue(Lane lane, Task task);
  /// Drops what waits and joins the threads; later tasks are dropped.
  void Stop();

  int threads() const { return static_cast<int>(threads_.size()); }

 private:
  using Queue = std::deque<Task>;

  void Run(int index);
  Queue* NextFor(int index) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::size_t waiting_max_;
  common::Mutex mutex_;
  common::ConditionVariable work_;
  Queue short_ ABSL_GUARDED_BY(mutex_), long_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace ivy
