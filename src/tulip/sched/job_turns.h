#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "tulip/sched/request.h"
#include "tulip/sched/schedule.h"
#include "tulip/sched/virtual_time.h"

namespace tulip {

/// Requests that wait, and whose turn it is. Those of one job are taken in order of arrival. First
/// come, first served is the case in which all are of one job.
///
/// Between jobs it is fair queueing (Demers, Keshav and Shenker, "Analysis and Simulation of a Fair
/// Queueing Algorithm", SIGCOMM 1989) over tokens, in place of bits. The next sequence is the one
/// that an ideal server, which works on all jobs at once and on each alike, would finish first.
/// Jobs with work waiting get the same tokens, but for a sequence or two. A small request beside N
/// jobs waits for N times its own tokens and one sequence, however many theirs are: it is in the
/// very next batch if it is no larger than its share, (budget − a sequence) ÷ (N + 1). That is what
/// is wanted of a turn here, and why it goes neither to jobs in rotation (deficit round robin) nor
/// by the start of the work (start-time fair queueing): both may let each of the N jobs go first
/// with a whole sequence. More: docs/decisions/018-turns-between-jobs-by-finish-tags.md.
///
/// A job is known while requests of it wait. One that comes, or comes back, begins where the ideal
/// server is; all later ones then have finish tags beyond its own sooner or later, so nothing
/// starves. O(log jobs) for a turn; allocates for the most jobs that ever waited. One thread at a
/// time.
class JobTurns {
 public:
  explicit JobTurns(Schedule schedule) : schedule_(schedule) {}

  /// Moves the single request of `one` to the end of its job.
  void Push(RequestList& one);

  bool empty() const { return turns_.empty(); }
  /// The request whose turn it is.
  Request& front() { return turns_.front().job->requests.front(); }
  /// Tokens that may be taken of it until it is another job's turn; its next sequence always may.
  int64_t turn_tokens() const;

  /// `tokens` of front() have been taken: its sequences_taken tells. Having none left it moves to
  /// the end of `ended`.
  void Take(int64_t tokens, RequestList& ended);
  /// Moves front() to the end of `to`.
  void PopFront(RequestList& to);
  /// Moves every request for which `leaves` holds to the end of `to`.
  template <typename Leaves>
  void RemoveIf(Leaves leaves, RequestList& to) {
    for (const Turn& turn : turns_) {
      RequestList& requests = turn.job->requests;
      for (auto request = requests.begin(); request != requests.end();) {
        const auto next = std::next(request);
        if (leaves(*request)) to.splice(to.end(), requests, request);
        request = next;
      }
    }
    ReorderAll();
  }

 private:
  struct Job {
    uint64_t name = 0;     ///< 0: none; it gets no other request.
    RequestList requests;  ///< In order of arrival.
    double tag = 0;        ///< Virtual time when what was taken of it is done.
  };
  struct Turn {
    double finish;    ///< Virtual time when the job's next sequence would be done.
    uint64_t number;  ///< In order of arrival: where finishes are the same, the first to come.
    Job* job;
    /// Of a heap whose top is the first to go.
    bool operator<(const Turn& other) const {
      return finish != other.finish ? finish > other.finish : number > other.number;
    }
  };

  Job* Find(uint64_t name) const;
  Job& Begin(uint64_t name);
  void End(Job& job);
  static double Finish(const Job& job);
  void Reorder();
  void ReorderAll();

  const Schedule schedule_;
  VirtualTime time_;
  std::vector<Turn> turns_;  ///< A heap: one of each job that has requests.
  std::unordered_map<uint64_t, Job*> named_;
  uint64_t begun_ = 0;
  std::deque<Job> pool_;  ///< Jobs that have requests, and those that are free.
  std::vector<Job*> free_;
};

}  // namespace tulip
