#include "tulip/sched/job_turns.h"

#include <algorithm>
#include <limits>

namespace tulip {

void JobTurns::Push(RequestList& one) {
  const uint64_t name = one.front().asked.job;
  if (Job* job = Find(name)) {
    job->requests.splice(job->requests.end(), one);
    return;
  }
  Job& job = Begin(name);
  job.requests.splice(job.requests.end(), one);
  turns_.push_back({.finish = Finish(job), .number = begun_++, .job = &job});
  std::push_heap(turns_.begin(), turns_.end());
}

int64_t JobTurns::turn_tokens() const {
  if (turns_.size() == 1) return std::numeric_limits<int64_t>::max();
  const bool third = turns_.size() > 2 && turns_[1] < turns_[2];
  const Turn& next = third ? turns_[2] : turns_[1];
  return static_cast<int64_t>(next.finish - turns_.front().job->tag);
}

void JobTurns::Take(int64_t tokens, RequestList& ended) {
  Job& job = *turns_.front().job;
  job.tag += static_cast<double>(tokens);
  time_.Advance(tokens);
  const Request& request = job.requests.front();
  if (request.sequences_taken == request.sequences()) {
    ended.splice(ended.end(), job.requests, job.requests.begin());
  }
  Reorder();
}

void JobTurns::PopFront(RequestList& to) {
  RequestList& requests = turns_.front().job->requests;
  to.splice(to.end(), requests, requests.begin());
  Reorder();
}

JobTurns::Job* JobTurns::Find(uint64_t name) const {
  if (schedule_ == Schedule::kFcfs) return turns_.empty() ? nullptr : turns_.front().job;
  const auto found = named_.find(name);
  return found == named_.end() ? nullptr : found->second;
}

JobTurns::Job& JobTurns::Begin(uint64_t name) {
  if (free_.empty()) {
    free_.push_back(&pool_.emplace_back());
    // Jobs end where batches are formed, which is no place to allocate.
    if (free_.capacity() < pool_.size()) free_.reserve(2 * pool_.size());
  }
  Job& job = *free_.back();
  free_.pop_back();
  job.name = schedule_ == Schedule::kFcfs ? 0 : name;
  if (job.name != 0) named_.emplace(job.name, &job);
  job.tag = time_.now();
  time_.Join();
  return job;
}

void JobTurns::End(Job& job) {
  if (job.name != 0) named_.erase(job.name);
  time_.Leave(job.tag);
  free_.push_back(&job);
}

double JobTurns::Finish(const Job& job) {
  const Request& next = job.requests.front();
  return job.tag + next.asked.lengths[static_cast<std::size_t>(next.sequences_taken)];
}

/// Finds the new place of the job whose turn it was, or lets it go.
void JobTurns::Reorder() {
  std::pop_heap(turns_.begin(), turns_.end());
  Turn& turn = turns_.back();
  if (turn.job->requests.empty()) {
    End(*turn.job);
    turns_.pop_back();
    if (turns_.empty()) time_.Reset();
  } else {
    turn.finish = Finish(*turn.job);
    std::push_heap(turns_.begin(), turns_.end());
  }
}

/// The same for all of them.
void JobTurns::ReorderAll() {
  for (const Turn& turn : turns_) {
    if (turn.job->requests.empty()) End(*turn.job);
  }
  std::erase_if(turns_, [](const Turn& turn) { return turn.job->requests.empty(); });
  for (Turn& turn : turns_) turn.finish = Finish(*turn.job);
  std::make_heap(turns_.begin(), turns_.end());
  if (turns_.empty()) time_.Reset();
}

}  // namespace tulip
