#pragma once

#include <cstdint>
#include <vector>

namespace tulip {

/// The clock of an ideal server that works on all its jobs at once, on each with the same share, as
/// fair queueing measures it: in tokens done of each job. A job's tag is the time at which the
/// ideal server has done what has been taken of the job.
///
/// What is taken is done by that server too, only in another order. So the time is the mean of the
/// jobs' tags, and a job of which more was taken than its share counts on, after it has left, until
/// the time has come to its tag. One thread at a time.
class VirtualTime {
 public:
  double now() const { return now_; }

  /// A job comes; its tag is now().
  void Join();
  /// `tokens` are taken of a job, whose tag rises by as many.
  void Advance(int64_t tokens);
  /// A job goes, with this tag.
  void Leave(double tag);
  /// Nothing is left to do: time begins anew.
  void Reset();

 private:
  void Remove(double tag);
  void RemoveOvertaken();

  double now_ = 0;
  int64_t jobs_ = 0;
  std::vector<double> ahead_;  ///< A heap: tags of those that left ahead of the time, least first.
};

}  // namespace tulip
