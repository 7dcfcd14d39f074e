#include "ivy/job/tokenize.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "common/mutex.h"
#include "ivy/job/thread_scratch.h"
namespace ivy {
namespace {

/// Text of one step on the pool, some tenths of a millisecond.
constexpr std::size_t kSliceBytes = std::size_t{16} << 10;
/// A single text above this makes a long step.
constexpr std::size_t kLongBytes = std::size_t{64} << 10;

std::size_t TextBytes(const Job& job, const Input& input) {
  if (const auto* text = std::get_if<std::string>(&input)) {
    return (job.prompt == nullptr ? 0 : job.prompt->text.size()) + text->size();
  }
  const auto* pair = std::get_if<TextPair>(&input);
  return pair == nullptr ? 0 : job.instruction.size() + pair->first->size() + pair->second.size();
}

/// The slices of one job: [begin, end) of its inputs each.
class SlicedJob : public std::enable_shared_from_this<SlicedJob> {
 public:
  using Done = std::function<void(absl::StatusOr<std::vector<Sequence>>)>;

  SlicedJob(std::shared_ptr<const Job> job, TextPool& pool, Done done)
      : job_(std::move(job)), pool_(pool), done_(std::move(done)) {
    sequences_.resize(job_->inputs.size());
    std::size_t begin = 0, bytes = 0;
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      bytes += TextBytes(*job_, job_->inputs[i]);
      if (bytes < kSliceBytes && i + 1 < sequences_.size()) continue;
      slices_.emplace_back(begin, i + 1);
      begin = i + 1;
      bytes = 0;
    }
    left_ = slices_.size();
  }

  void Start() {
    const std::size_t runners = std::min(slices_.size(), static_cast<std::size_t>(pool_.threads()));
    for (std::size_t i = 0; i < runners; ++i) QueueNext();
  }

 private:
  void QueueNext() {
    const std::size_t slice = next_++;
    if (slice >= slices_.size()) return;
    const bool is_long = TextBytes(*job_, job_->inputs[slices_[slice].first]) > kLongBytes;
    pool_.Continue(is_long ? TextPool::Lane::kLong : TextPool::Lane::kShort,
                   [self = shared_from_this(), slice] { self->Run(slice); });
  }

  void Run(std::size_t slice) {
    const auto [begin, end] = slices_[slice];
    for (std::size_t i = begin; i < end && !job_->cancel->cancelled(); ++i) {
      absl::StatusOr<Sequence> sequence = TokenizeInput(*job_, i, ThreadScratch());
      if (sequence.ok()) {
        sequences_[i] = *std::move(sequence);
      } else {
        Report(i, sequence.status());
      }
    }
    if (--left_ == 0) return Finish();
    QueueNext();
  }

  void Report(std::size_t index, const absl::Status& error) {
    const common::MutexLock lock(mutex_);
    if (error_.ok() || index < error_index_) {
      error_ = error;
      error_index_ = index;
    }
  }

  absl::Status FirstError() {
    const common::MutexLock lock(mutex_);
    return error_;
  }

  void Finish() {
    if (job_->cancel->cancelled()) return done_(absl::CancelledError("nobody waits for it"));
    if (absl::Status error = FirstError(); !error.ok()) return done_(std::move(error));
    done_(std::move(sequences_));
  }

  const std::shared_ptr<const Job> job_;
  TextPool& pool_;
  const Done done_;
  std::vector<std::pair<std::size_t, std::size_t>> slices_;
  std::vector<Sequence> sequences_;  ///< Each written by the thread that runs its slice.
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> left_{0};
  common::Mutex mutex_;
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  std::size_t error_index_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace

std::size_t TextBytes(const Job& job) {
  std::size_t bytes = 0;
  for (const Input& input : job.inputs) bytes += TextBytes(job, input);
  return bytes;
}

void Tokenize(std::shared_ptr<const Job> job, TextPool& pool,
              std::function<void(absl::StatusOr<std::vector<Sequence>>)> done) {
  if (TextBytes(*job) > TextPool::kInlineBytes) {
    std::make_shared<SlicedJob>(std::move(job), pool, std::move(done))->Start();
    return;
  }
  std::vector<Sequence> sequences;
  sequences.reserve(job->inputs.size());
  for (std::size_t i = 0; i < job->inputs.size(); ++i) {
    absl::StatusOr<Sequence> sequence = TokenizeInput(*job, i, ThreadScratch());
    if (!sequence.ok()) return done(sequence.status());
    sequences.push_back(*std::move(sequence));
  }
  done(std::move(sequences));
}

}  // namespace ivy
