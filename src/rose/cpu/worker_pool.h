#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "rose/cpu/memory.h"
#include "rose/cpu/parallel.h"
#include "rose/cpu/task_round.h"

namespace rose::cpu {

class WorkerPool;

/// What a WorkerPool runs: some tasks, each on one worker. May be submitted again once Done, and
/// outlives the pool: a worker that comes late still asks it for a task.
class Job {
 public:
  virtual ~Job() = default;
  /// On the thread of the pool's worker number `worker`.
  virtual void RunTask(int task, WorkerPool& pool, int worker) = 0;

  bool Done() const { return round_.Done(); }
  /// Blocks until all tasks of the latest submission have run.
  void Wait() { round_.Wait(); }

 private:
  friend class WorkerPool;
  TaskRound round_;
};

/// All workers of a pool as one: those that have nothing else to do take tasks beside the leader.
/// A worker that comes late, or not at all, delays nobody.
class Team final : public Parallel {
 public:
  int width() const override { return width_; }
  void For(int64_t tasks, Body body) override;

 private:
  friend class WorkerPool;
  explicit Team(WorkerPool& pool, int width) : pool_(pool), width_(width) {}

  WorkerPool& pool_;
  int width_;
  int leader_ = -1;
  std::atomic<bool> led_{false};
  std::atomic<const Body*> body_{nullptr};
  TaskRound round_;
};

/// The threads that compute. Jobs run in the order of submission, later ones overlapping the end of
/// earlier ones. An idle worker spins for some ten microseconds (between two steps of a team that
/// is all it takes) and then sleeps, so it costs nothing and yields to other programs.
class WorkerPool {
 public:
  static constexpr int kJobsMax = 2;  ///< Submitted and not Done.

  /// Each worker has `workspace_bytes` for Parallel::For bodies.
  WorkerPool(int workers, int64_t workspace_bytes);
  /// All jobs are Done.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int size() const { return static_cast<int>(threads_.size()); }
  /// One thread at a time. 1 ≤ tasks ≤ Parallel::kTasksMax.
  void Submit(Job& job, int tasks);

  std::byte* workspace(int worker) const {
    return workspaces_[static_cast<std::size_t>(worker)].data();
  }

  /// Within RunTask: the worker at the head of the team for as long as this lives, alone if another
  /// worker leads it already.
  class Lead {
   public:
    Lead(WorkerPool& pool, int worker);
    ~Lead();
    Lead(const Lead&) = delete;
    Lead& operator=(const Lead&) = delete;
    Parallel& parallel() { return team_ != nullptr ? static_cast<Parallel&>(*team_) : alone_; }

   private:
    Serial alone_;
    Team* team_ = nullptr;
  };

 private:
  friend class Team;

  void Work(int worker);
  /// Runs one task of the oldest job that has one. `cursor`: how many jobs this worker has seen the
  /// end of.
  bool RunJobTask(int worker, uint64_t& cursor);
  bool HelpTeam(int worker);
  /// Tells idle workers to look again.
  void Ring();
  /// Until Ring since `heard` was read.
  void AwaitRing(uint32_t heard);

  Team team_;
  std::vector<Memory> workspaces_;
  /// Job number i at i % kQueue, for i < submitted_. Twice the jobs that can be in flight, so that
  /// a worker still looking at a finished one finds a job, if not that one.
  static constexpr std::size_t kQueue = 2 * kJobsMax;
  std::array<std::atomic<Job*>, kQueue> queue_{};
  std::atomic<uint64_t> submitted_{0};
  std::atomic<uint32_t> bell_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace rose::cpu
