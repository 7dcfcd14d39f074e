#include "ivy/job/run_chunks.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>

#include "common/mutex.h"
#include "common/random_id.h"
#include "ivy/http/cause.h"
#include "ivy/job/check_result.h"
#include "ivy/job/splitter.h"
#include "wire/sequence_error.h"

namespace ivy {
namespace {

using absl::StatusOr;
using wire::InferenceRequest;
using wire::InferenceResult;

class ChunkRun : public std::enable_shared_from_this<ChunkRun> {
 public:
  ChunkRun(std::shared_ptr<const Job> job, std::vector<Sequence> sequences,
           const ChunkOptions& options, const StageMetrics& metrics, AnswerDone done)
      : job_(std::move(job)),
        sequences_(std::move(sequences)),
        done_(std::move(done)),
        window_(options.window),
        metrics_(metrics) {
    std::vector<int32_t> lengths;
    lengths.reserve(sequences_.size());
    for (const Sequence& sequence : sequences_) {
      lengths.push_back(static_cast<int32_t>(sequence.ids.size()));
    }
    const int64_t measured = job_->model->info().saturation_tokens;
    const int64_t most = options.chunk_tokens > 0 ? options.chunk_tokens : measured;
    chunks_ = Split(lengths, std::max<int64_t>(most, 1), job_->model->served.client->Engines());
    for (std::size_t i = 0; i < chunks_.size(); ++i) waiting_.push_back(i);
    left_ = chunks_.size();
    if (chunks_.size() > 1) id_ = common::RandomId();
    spans_.resize(job_->trace.recorded() ? chunks_.size() : 0);
    answer_ = Answer(sequences_.size(), chunks_.size());
    answer_.tokens = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  }

  /// Sends while there is something to send and the window is open. One thread at a time is in the
  /// loop; what an answer frees meanwhile, it finds there. So an answer that comes before Infer
  /// returns does not recurse.
  void Pump() {
    common::MutexLock lock(mutex_);
    if (pumping_) return;
    pumping_ = true;
    while (!over_ && !waiting_.empty() && outstanding_ < Window()) {
      const std::size_t chunk = waiting_.front();
      waiting_.pop_front();
      ++outstanding_;
      lock.Unlock();
      const common::TimePoint sent = common::Clock::Steady().Now();
      InferenceRequest request = Pack(chunks_[chunk]);
      request.trace = Begin(chunk, request, sent);
      job_->model->served.client->Infer(
          std::move(request),
          [self = shared_from_this(), chunk, sent](StatusOr<InferenceResult> result) {
            self->Observe(chunk, sent, result);
            self->Receive(chunk, std::move(result));
          });
      lock.Lock();
    }
    pumping_ = false;
  }

 private:
  /// Chunks that may be outstanding now.
  int64_t Window() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return std::min(outstanding_max_, window_ * job_->model->served.client->Engines());
  }
  InferenceRequest Pack(const Chunk& chunk) const;
  const common::Trace& Begin(std::size_t chunk, const InferenceRequest& request,
                             common::TimePoint now);
  void Observe(std::size_t chunk, common::TimePoint sent, const StatusOr<InferenceResult>& result);
  void Receive(std::size_t chunk, StatusOr<InferenceResult> result);
  absl::Status Explain(const Chunk& chunk, const absl::Status& error) const;
  void Finish(absl::Status status);

  const std::shared_ptr<const Job> job_;
  const std::vector<Sequence> sequences_;
  const AnswerDone done_;
  const int64_t window_;  ///< For each engine.
  const StageMetrics& metrics_;
  std::vector<Chunk> chunks_;        ///< One alone: its rows stand in the order of the inputs.
  std::vector<common::Span> spans_;  ///< Of the chunks under way; none if they are not recorded.
  uint64_t id_ = 0;                  ///< What its chunks have in common, where there are several.

  common::Mutex mutex_;
  std::deque<std::size_t> waiting_ ABSL_GUARDED_BY(mutex_);  ///< Into chunks_.
  int64_t outstanding_ ABSL_GUARDED_BY(mutex_) = 0;
  /// As many as a full queue has taken.
  int64_t outstanding_max_ ABSL_GUARDED_BY(mutex_) = std::numeric_limits<int64_t>::max();
  std::size_t left_ ABSL_GUARDED_BY(mutex_) = 0;  ///< Chunks without a result.
  bool pumping_ ABSL_GUARDED_BY(mutex_) = false;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;

  /// Chunks are stored without the lock: each has its own place. The times are the lock's.
  Answer answer_;
};

InferenceRequest ChunkRun::Pack(const Chunk& chunk) const {
  InferenceRequest request;
  request.model = job_->model->info().name;
  request.outputs = job_->outputs;
  request.normalize = job_->normalize;
  request.job = id_;
  request.deadline = job_->deadline;
  request.cancel = job_->cancel;
  request.request_id = job_->request_id;
  std::size_t tokens = 0;
  bool typed = false;
  for (const int32_t index : chunk) {
    const Sequence& sequence = sequences_[static_cast<std::size_t>(index)];
    tokens += sequence.ids.size();
    typed |= !sequence.type_ids.empty();
  }
  request.ids.reserve(tokens);
  request.lengths.reserve(chunk.size());
  if (typed) request.type_ids.reserve(tokens);
  if (job_->prompt != nullptr) request.prompt_lengths.reserve(chunk.size());
  for (const int32_t index : chunk) {
    const Sequence& sequence = sequences_[static_cast<std::size_t>(index)];
    const std::vector<int32_t>& types = sequence.type_ids;
    request.ids.insert(request.ids.end(), sequence.ids.begin(), sequence.ids.end());
    request.lengths.push_back(static_cast<int32_t>(sequence.ids.size()));
    request.type_ids.insert(request.type_ids.end(), types.begin(), types.end());
    if (typed) request.type_ids.resize(request.ids.size());  // zeros, where a text stands alone
    if (job_->prompt != nullptr) request.prompt_lengths.push_back(sequence.prompt_tokens);
  }
  return request;
}

/// What the request's trace is: below the chunk's own span, where there is one.
const common::Trace& ChunkRun::Begin(std::size_t chunk, const InferenceRequest& request,
                                     common::TimePoint now) {
  if (spans_.empty()) return job_->trace;
  spans_[chunk] = common::Span(job_->trace, "chunk", now);
  spans_[chunk]
      .Set("parterre.sequences", static_cast<int64_t>(request.lengths.size()))
      .Set("parterre.tokens", static_cast<int64_t>(request.ids.size()));
  return spans_[chunk].trace();
}

/// The chunk is not under way any more: nobody else has its span.
void ChunkRun::Observe(std::size_t chunk, common::TimePoint sent,
                       const StatusOr<InferenceResult>& result) {
  const common::TimePoint now = common::Clock::Steady().Now();
  if (!spans_.empty()) spans_[chunk].Fail(result.status()).End(now);
  if (result.ok()) metrics_.ObserveChunk(now - sent, result->timing);
}

void ChunkRun::Receive(std::size_t chunk, StatusOr<InferenceResult> result) {
  const wire::Timing timing = result.ok() ? result->timing : wire::Timing();
  absl::Status status = result.status();
  if (status.ok()) status = CheckResult(*job_, chunks_[chunk], *result);
  if (status.ok()) answer_.Store(chunk, chunks_[chunk], *std::move(result));
  bool ends = false;
  {
    const common::MutexLock lock(mutex_);
    --outstanding_;
    if (over_) return;
    if (absl::IsResourceExhausted(status) && outstanding_ > 0) {
      // Each answer to come sends one chunk, so the job goes on at the pace of the queue.
      outstanding_max_ = outstanding_;
      waiting_.push_front(chunk);
      return;
    }
    if (status.ok()) {
      answer_.queue_us = std::max(answer_.queue_us, timing.queue_us);
      answer_.compute_us += timing.compute_us;
      --left_;
    }
    ends = over_ = !status.ok() || left_ == 0;
  }
  if (ends) return Finish(status.ok() ? status : Explain(chunks_[chunk], status));
  Pump();
}

/// The replica counts sequences within a chunk: names the input of the one at fault.
absl::Status ChunkRun::Explain(const Chunk& chunk, const absl::Status& error) const {
  if (CauseOf(error) != Cause::kBackend || !ParamOf(error).empty()) return error;
  const auto fault = wire::ParseSequenceError(error);
  if (!fault || fault->sequence >= chunk.size()) return error;
  return Failure(Cause::kBackend, job_->PathOf(static_cast<std::size_t>(chunk[fault->sequence])),
                 fault->message);
}

void ChunkRun::Finish(absl::Status status) {
  if (status.ok()) return done_(std::move(answer_));
  job_->cancel->Cancel();
  done_(std::move(status));
}

}  // namespace

void RunChunks(std::shared_ptr<const Job> job, std::vector<Sequence> sequences,
               const ChunkOptions& options, const StageMetrics& metrics, AnswerDone done) {
  std::make_shared<ChunkRun>(std::move(job), std::move(sequences), options, metrics,
                             std::move(done))
      ->Pump();
}

}  // namespace ivy
