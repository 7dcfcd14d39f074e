#include "ivy/job/run_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "ivy/http/cause.h"
#include "ivy/job/cut_vector.h"
#include "ivy/job/splitter.h"

namespace ivy {
namespace {

using absl::StatusOr;
using wire::InferenceRequest;
using wire::InferenceResult;

class ChunkRun : public std::enable_shared_from_this<ChunkRun> {
 public:
  ChunkRun(std::shared_ptr<const EmbedJob> job, std::vector<Sequence> sequences,
           const ChunkOptions& options, EmbedDone done)
      : job_(std::move(job)),
        sequences_(std::move(sequences)),
        done_(std::move(done)),
        window_(options.window) {
    std::vector<int32_t> lengths;
    for (const Sequence& sequence : sequences_) {
      lengths.push_back(static_cast<int32_t>(sequence.ids.size()));
      answer_.tokens += lengths.back();
    }
    const int64_t measured = job_->model->info().saturation_tokens;
    const int64_t most = options.chunk_tokens > 0 ? options.chunk_tokens : measured;
    for (Chunk& chunk : Split(lengths, std::max<int64_t>(most, 1))) {
      waiting_.push_back(std::move(chunk));
    }
    in_order_ = waiting_.size() == 1;
    left_ = waiting_.size();
    answer_.rows = static_cast<int>(sequences_.size());
    answer_.columns = job_->dimensions;
    answer_.values.resize(sequences_.size() * static_cast<std::size_t>(job_->dimensions));
  }

  /// Sends while there is something to send and the window is open. One thread at a time is in the
  /// loop; what an answer frees meanwhile, it finds there. So an answer that comes before Embed
  /// returns does not recurse.
  void Pump() {
    std::unique_lock lock(mutex_);
    if (pumping_) return;
    pumping_ = true;
    while (!over_ && !waiting_.empty() && outstanding_ < window_) {
      Chunk chunk = std::move(waiting_.front());
      waiting_.pop_front();
      ++outstanding_;
      lock.unlock();
      InferenceRequest request = Pack(chunk);
      job_->model->served.client->Embed(
          std::move(request), [self = shared_from_this(),
                               chunk = std::move(chunk)](StatusOr<InferenceResult> result) mutable {
            self->Receive(std::move(chunk), std::move(result));
          });
      lock.lock();
    }
    pumping_ = false;
  }

 private:
  InferenceRequest Pack(const Chunk& chunk) const;
  void Receive(Chunk chunk, StatusOr<InferenceResult> result);
  absl::Status Store(const Chunk& chunk, const InferenceResult& result);
  absl::Status Explain(const Chunk& chunk, const absl::Status& error) const;
  void Finish(absl::Status status);

  const std::shared_ptr<const EmbedJob> job_;
  const std::vector<Sequence> sequences_;
  const EmbedDone done_;
  bool in_order_ = false;  ///< One chunk, rows in the order of the inputs.

  std::mutex mutex_;
  std::deque<Chunk> waiting_;
  int window_ = 0;
  int outstanding_ = 0;
  std::size_t left_ = 0;  ///< Chunks without a result.
  bool pumping_ = false;
  bool over_ = false;
  EmbedAnswer answer_;  ///< Rows are written without the lock: each chunk has its own.
};

InferenceRequest ChunkRun::Pack(const Chunk& chunk) const {
  InferenceRequest request;
  request.model = job_->model->info().name;
  request.normalize = job_->normalize;
  request.deadline = job_->deadline;
  request.cancel = job_->cancel;
  const bool prompted = job_->prompt != nullptr;
  for (const int32_t index : chunk) {
    const Sequence& sequence = sequences_[static_cast<std::size_t>(index)];
    request.ids.insert(request.ids.end(), sequence.ids.begin(), sequence.ids.end());
    request.lengths.push_back(static_cast<int32_t>(sequence.ids.size()));
    if (prompted) request.prompt_lengths.push_back(sequence.prompt_tokens);
  }
  return request;
}

void ChunkRun::Receive(Chunk chunk, StatusOr<InferenceResult> result) {
  absl::Status status = result.status();
  if (status.ok()) status = Store(chunk, *result);
  bool ends = false;
  {
    const std::lock_guard lock(mutex_);
    --outstanding_;
    if (over_) return;
    if (absl::IsResourceExhausted(status) && outstanding_ > 0) {
      // Each answer to come sends one chunk, so the job goes on at the pace of the queue.
      window_ = outstanding_;
      waiting_.push_front(std::move(chunk));
      return;
    }
    if (status.ok()) {
      answer_.queue_us = std::max(answer_.queue_us, result->timing.queue_us);
      answer_.compute_us += result->timing.compute_us;
      --left_;
    }
    ends = over_ = !status.ok() || left_ == 0;
  }
  if (ends) return Finish(status.ok() ? status : Explain(chunk, status));
  Pump();
}

absl::Status ChunkRun::Store(const Chunk& chunk, const InferenceResult& result) {
  const auto columns = static_cast<std::size_t>(job_->model->info().dimension);
  const wire::Matrix& dense = result.dense;
  if (result.sequences != static_cast<int32_t>(chunk.size()) ||
      dense.columns != static_cast<int32_t>(columns) ||
      dense.values.size() != chunk.size() * columns) {
    return absl::InternalError(fmt::format("expected {} vectors of {} components, got {} of {}",
                                           chunk.size(), columns, result.sequences, dense.columns));
  }
  const auto kept = static_cast<std::size_t>(job_->dimensions);
  for (std::size_t row = 0; row < chunk.size(); ++row) {
    const auto index = static_cast<std::size_t>(chunk[row]);
    const std::span vector = std::span(dense.values).subspan(row * columns, columns);
    if (!AllFinite(vector)) {
      return Failure(Cause::kBackend, job_->PathOf(index), "its vector has a non-finite value");
    }
    CutVector(vector, job_->normalize, std::span(answer_.values).subspan(index * kept, kept));
  }
  return absl::OkStatus();
}

/// The replica counts sequences within a chunk; where that is not the caller's count, says which
/// inputs the chunk held.
absl::Status ChunkRun::Explain(const Chunk& chunk, const absl::Status& error) const {
  if (in_order_ || CauseOf(error) != Cause::kBackend || !ParamOf(error).empty()) return error;
  std::string inputs;
  for (std::size_t i = 0; i < std::min<std::size_t>(chunk.size(), 16); ++i) {
    inputs += (i == 0 ? "" : ", ") + job_->PathOf(static_cast<std::size_t>(chunk[i]));
  }
  if (chunk.size() > 16) inputs += ", …";
  return {error.code(),
          fmt::format("{} (counted among {})",
                      std::string_view(error.message().data(), error.message().size()), inputs)};
}

void ChunkRun::Finish(absl::Status status) {
  if (status.ok()) return done_(std::move(answer_));
  job_->cancel->Cancel();
  done_(std::move(status));
}

}  // namespace

void RunChunks(std::shared_ptr<const EmbedJob> job, std::vector<Sequence> sequences,
               const ChunkOptions& options, EmbedDone done) {
  std::make_shared<ChunkRun>(std::move(job), std::move(sequences), options, std::move(done))
      ->Pump();
}

}  // namespace ivy
