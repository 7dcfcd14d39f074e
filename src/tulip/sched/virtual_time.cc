#include "tulip/sched/virtual_time.h"

#include <algorithm>
#include <functional>

namespace tulip {

void VirtualTime::Join() {
  ++jobs_;
  // Jobs leave where batches are formed, which is no place to allocate.
  const auto jobs = static_cast<std::size_t>(jobs_);
  if (ahead_.capacity() < jobs) ahead_.reserve(2 * jobs);
}

void VirtualTime::Advance(int64_t tokens) {
  now_ += static_cast<double>(tokens) / static_cast<double>(jobs_);
  RemoveOvertaken();
}

void VirtualTime::Leave(double tag) {
  if (tag > now_) {
    ahead_.push_back(tag);
    std::push_heap(ahead_.begin(), ahead_.end(), std::greater<>());
  } else {
    Remove(tag);
    RemoveOvertaken();
  }
}

void VirtualTime::Reset() {
  now_ = 0;
  jobs_ = 0;
  ahead_.clear();
}

/// Keeps the time the mean of the tags that are left.
void VirtualTime::Remove(double tag) {
  --jobs_;
  if (jobs_ > 0) now_ += (now_ - tag) / static_cast<double>(jobs_);
}

void VirtualTime::RemoveOvertaken() {
  while (!ahead_.empty() && ahead_.front() <= now_) {
    std::pop_heap(ahead_.begin(), ahead_.end(), std::greater<>());
    Remove(ahead_.back());
    ahead_.pop_back();
  }
}

}  // namespace tulip
