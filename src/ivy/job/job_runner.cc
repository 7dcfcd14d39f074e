#include "ivy/job/job_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <new>
#include <utility>

#include "common/thread_count.h"

namespace ivy {
namespace {

using common::Clock;
using Lane = TextPool::Lane;

/// Steps that may wait for the text pool when a request comes in.
constexpr std::size_t kWaitingMax = 4096;
/// A body of 4096 token ids; they are read in less time than a hop to the pool and back takes.
constexpr std::size_t kInlineBodyBytes = std::size_t{32} << 10;
constexpr std::size_t kLongBytes = std::size_t{256} << 10;
/// Rendering this many numbers as text takes some milliseconds, too long for an I/O thread.
constexpr std::size_t kInlineValues = std::size_t{64} << 10;
constexpr std::size_t kLongValues = std::size_t{256} << 10;

/// What the answer will hold, counted in numbers.
std::size_t SizeOf(const Job& job, const Answer& answer) {
  constexpr std::size_t kBytesOfANumber = 10;
  return answer.size() + (job.echoes ? TextBytes(job) / kBytesOfANumber : 0);
}

int64_t CountCharacters(const Job& job) {
  std::size_t characters = 0;
  for (const Input& input : job.inputs) {
    if (const auto* text = std::get_if<std::string>(&input)) {
      characters += text::CountCodePoints(*text);
    } else if (const auto* pair = std::get_if<TextPair>(&input)) {
      characters += text::CountCodePoints(*pair->first) + text::CountCodePoints(pair->second);
    }
  }
  return static_cast<int64_t>(characters);
}

/// A job of which a part finds no memory is answered so, rather than never.
TextPool::Task Guarded(std::shared_ptr<Exchange> exchange, TextPool::Task work) {
  return [exchange = std::move(exchange), work = std::move(work)] {
    try {
      work();
    } catch (const std::bad_alloc&) {
      exchange->Fail(Failure(Cause::kOverloaded, "out of memory, try again later"));
    }
  };
}

}  // namespace

struct JobRunner::Task {
  std::shared_ptr<Job> job;
  Permit permit;
  std::shared_ptr<Exchange> exchange;
  JobDone done;
  common::TimePoint started = Clock::Steady().Now();
  common::Duration tokenize{};
};

JobRunner::JobRunner(const JobRunnerOptions& options, common::Metrics& metrics)
    : stages_(metrics),
      text_bytes_max_(options.text_bytes_max),
      chunk_options_(options.chunks),
      admission_(options.inputs_in_flight_max,
                 metrics.Gauge("parterre_inputs_in_flight", "Inputs being worked on.")),
      pool_(common::ThreadCount(options.text_threads, 2, 2, 16), kWaitingMax),
      inputs_(metrics.Counter("parterre_inputs_total", "Inputs answered.")),
      tokens_(metrics.Counter("parterre_tokens_total", "Tokens run, special ones included.")) {}

void JobRunner::Enter(const std::shared_ptr<Exchange>& exchange, std::size_t bytes,
                      TextPool::Task work) {
  work = Guarded(exchange, std::move(work));
  if (bytes <= kInlineBodyBytes) return work();
  if (!pool_.Submit(bytes > kLongBytes ? Lane::kLong : Lane::kShort, std::move(work))) {
    exchange->Fail(Failure(Cause::kOverloaded, "the server is overloaded, try again later"));
  }
}

void JobRunner::Run(Job job, const std::shared_ptr<Exchange>& exchange, JobDone done) {
  if (const std::size_t bytes = TextBytes(job); bytes > text_bytes_max_) {
    return done(job, Failure(Cause::kPayload, job.field,
                             fmt::format("{} bytes of text, counting what stands in front of each, "
                                         "expected at most {} (twice --payload-limit)",
                                         bytes, text_bytes_max_)));
  }
  auto permit = admission_.TryAcquire(static_cast<int>(job.inputs.size()));
  if (!permit) {
    return done(job, Failure(Cause::kOverloaded,
                             "the model is overloaded (--max-concurrent-requests), try again "
                             "later"));
  }
  job.deadline = exchange->deadline;
  job.cancel = exchange->cancel;
  job.request_id = exchange->id;
  job.trace = exchange->span.trace();
  auto shared = std::make_shared<Job>(std::move(job));
  auto task = std::make_shared<Task>(Task{
      .job = shared, .permit = *std::move(permit), .exchange = exchange, .done = std::move(done)});
  Tokenize(shared, pool_, [this, task](absl::StatusOr<std::vector<Sequence>> sequences) {
    const common::TimePoint now = Clock::Steady().Now();
    common::Span span(task->job->trace, "tokenize", task->started);
    span.Set("parterre.inputs", static_cast<int64_t>(task->job->inputs.size()))
        .Fail(sequences.status())
        .End(now);
    if (!sequences.ok()) return task->done(*task->job, sequences.status());
    task->tokenize = now - task->started;
    Send(task, *std::move(sequences));
  });
}

void JobRunner::Send(const std::shared_ptr<Task>& task, std::vector<Sequence> sequences) {
  RunChunks(task->job, std::move(sequences), chunk_options_, stages_,
            [this, task](absl::StatusOr<Answer> answer) {
              if (!answer.ok()) return task->done(*task->job, answer.status());
              Finish(task, *std::move(answer));
            });
}

/// On the client's thread, which must not be held: rendering goes elsewhere.
void JobRunner::Finish(const std::shared_ptr<Task>& task, Answer answer) {
  answer.tokenize_us =
      std::chrono::duration_cast<std::chrono::microseconds>(task->tokenize).count();
  inputs_.Increment(static_cast<double>(answer.inputs()));
  tokens_.Increment(static_cast<double>(answer.tokens));
  stages_.tokenize.Observe(task->tokenize);
  const std::size_t values = SizeOf(*task->job, answer);
  auto render = Guarded(task->exchange, [task, answer = std::move(answer)]() mutable {
    if (task->exchange->answered()) return;
    answer.characters = CountCharacters(*task->job);
    task->done(*task->job, std::move(answer));
  });
  if (values <= kInlineValues) return task->exchange->Post(std::move(render));
  pool_.Continue(values > kLongValues ? Lane::kLong : Lane::kShort, std::move(render));
}

}  // namespace ivy
