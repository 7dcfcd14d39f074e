#pragma once

#include <functional>
#include <memory>

#include "common/metrics.h"
#include "ivy/http/exchange.h"
#include "ivy/job/admission.h"
#include "ivy/job/job.h"
#include "ivy/job/run_chunks.h"
#include "ivy/job/stage_metrics.h"
#include "ivy/job/text_pool.h"

namespace ivy {

struct JobRunnerOptions {
  int text_threads = 0;             ///< 0: half of the processors, 2 to 16.
  int inputs_in_flight_max = 8192;  ///< --max-concurrent-requests
  /// Of a request's inputs, each with what stands in front of it: a short body can ask for a long
  /// prompt many times over.
  std::size_t text_bytes_max = std::size_t{64} << 20;
  ChunkOptions chunks;
};

/// The job stays alive as long as the call.
using JobDone = std::function<void(const Job& job, absl::StatusOr<Answer> answer)>;

/// From a checked job to its answer: admission, tokenizing, chunks. Shared by all routes that ask a
/// model; any thread.
class JobRunner {
 public:
  JobRunner(const JobRunnerOptions& options, common::Metrics& metrics);

  /// Runs `work` here if `bytes` of input are few, else on the text pool. Overload fails the
  /// exchange.
  void Enter(const std::shared_ptr<Exchange>& exchange, std::size_t bytes, TextPool::Task work);

  /// `done` runs once unless the exchange is answered first: with an error on any thread, with an
  /// answer on the thread of the exchange's connection, or on the text pool if it is large.
  void Run(Job job, const std::shared_ptr<Exchange>& exchange, JobDone done);

  StageMetrics& stages() { return stages_; }
  /// Work that is neither quick nor part of a job.
  TextPool& pool() { return pool_; }

 private:
  struct Task;
  void Send(const std::shared_ptr<Task>& task, std::vector<Sequence> sequences);
  void Finish(const std::shared_ptr<Task>& task, Answer answer);

  StageMetrics stages_;
  const std::size_t text_bytes_max_;
  const ChunkOptions chunk_options_;
  Admission admission_;
  TextPool pool_;
  prometheus::Counter& inputs_;
  prometheus::Counter& tokens_;
};

}  // namespace ivy
