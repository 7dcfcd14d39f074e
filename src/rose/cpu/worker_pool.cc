#include "rose/cpu/worker_pool.h"

#include <chrono>

#include "common/check.h"
#include "common/pause.h"

namespace rose::cpu {
namespace {

/// Longer than the pieces that a leader does alone, far shorter than a scheduler's slice.
constexpr std::chrono::microseconds kSpin{40};

/// True as soon as `done` is, false after kSpin.
template <typename Condition>
bool SpinUntil(const Condition& done) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      common::Pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

void Team::For(int64_t tasks, Body body) {
  std::byte* workspace = pool_.workspace(leader_);
  if (tasks <= 1) {
    if (tasks == 1) body(0, workspace);
    return;
  }
  body_.store(&body, std::memory_order_relaxed);
  round_.Open(tasks);
  pool_.Ring();
  for (int64_t task; (task = round_.Claim()) >= 0;) {
    body(task, workspace);
    round_.Finish();
  }
  if (!SpinUntil([this] { return round_.Done(); })) round_.Wait();
}

WorkerPool::WorkerPool(int workers, int64_t workspace_bytes) : team_(*this, workers) {
  CHECK(workers > 0);
  for (int i = 0; i < workers; ++i) workspaces_.emplace_back(workspace_bytes);
  for (int i = 0; i < workers; ++i) threads_.emplace_back([this, i] { Work(i); });
}

WorkerPool::~WorkerPool() {
  stopping_.store(true, std::memory_order_release);
  Ring();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Submit(Job& job, int tasks) {
  job.round_.Open(tasks);
  const uint64_t number = submitted_.load(std::memory_order_relaxed);
  queue_[number % kQueue].store(&job, std::memory_order_release);
  submitted_.store(number + 1, std::memory_order_release);
  Ring();
}

void WorkerPool::Work(int worker) {
  uint64_t cursor = 0;
  while (true) {
    const uint32_t heard = bell_.load(std::memory_order_acquire);
    if (stopping_.load(std::memory_order_acquire)) return;
    // While a team works, those without a task wait for it rather than begin the job behind it:
    // steps finish in order, each as early as it can.
    const bool worked =
        team_.led_.load(std::memory_order_acquire) ? HelpTeam(worker) : RunJobTask(worker, cursor);
    if (!worked) AwaitRing(heard);
  }
}

bool WorkerPool::RunJobTask(int worker, uint64_t& cursor) {
  for (; cursor < submitted_.load(std::memory_order_acquire); ++cursor) {
    Job& job = *queue_[cursor % kQueue].load(std::memory_order_acquire);
    const int64_t task = job.round_.Claim();
    if (task < 0) continue;
    job.RunTask(static_cast<int>(task), *this, worker);
    job.round_.Finish();
    return true;
  }
  return false;
}

bool WorkerPool::HelpTeam(int worker) {
  const int64_t task = team_.round_.Claim();
  if (task < 0) return false;
  (*team_.body_.load(std::memory_order_relaxed))(task, workspace(worker));
  team_.round_.Finish();
  return true;
}

void WorkerPool::Ring() {
  bell_.fetch_add(1, std::memory_order_acq_rel);
  bell_.notify_all();
}

void WorkerPool::AwaitRing(uint32_t heard) {
  const auto rung = [&] { return bell_.load(std::memory_order_acquire) != heard; };
  if (!SpinUntil(rung)) bell_.wait(heard, std::memory_order_acquire);
}

WorkerPool::Lead::Lead(WorkerPool& pool, int worker) : alone_(pool.workspace(worker)) {
  if (pool.team_.led_.exchange(true, std::memory_order_acq_rel)) return;
  team_ = &pool.team_;
  team_->leader_ = worker;
}

WorkerPool::Lead::~Lead() {
  if (team_ == nullptr) return;
  team_->led_.store(false, std::memory_order_release);
  team_->pool_.Ring();
}

}  // namespace rose::cpu
