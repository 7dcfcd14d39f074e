#include "bench/simulate/gateway.h"

#include <utility>

#include "common/check.h"
#include "ivy/job/splitter.h"

namespace bench {

struct Gateway::Job {
  uint64_t id = 0;                           ///< As ivy::RunChunks gives it.
  std::vector<std::vector<int32_t>> chunks;  ///< Lengths of the sequences of each.
  std::size_t sent = 0;
  std::size_t answered = 0;
  Done done;
};

void Gateway::Run(const std::vector<int32_t>& lengths, Done done) {
  const auto job = std::make_shared<Job>();
  job->done = std::move(done);
  const auto replicas = static_cast<int>(replicas_.size());
  for (const ivy::Chunk& chunk : ivy::Split(lengths, options_.chunk_tokens, replicas)) {
    std::vector<int32_t>& of_chunk = job->chunks.emplace_back();
    for (const int32_t index : chunk) {
      of_chunk.push_back(lengths[static_cast<std::size_t>(index)]);
    }
  }
  if (job->chunks.size() > 1) job->id = world_.Name();
  Pump(job);
}

void Gateway::Pump(const std::shared_ptr<Job>& job) {
  const std::size_t window = static_cast<std::size_t>(options_.window) * replicas_.size();
  while (job->sent < job->chunks.size() && job->sent - job->answered < window) {
    Send(job, job->sent++);
  }
}

void Gateway::Send(const std::shared_ptr<Job>& job, std::size_t chunk) {
  wire::InferenceRequest request;
  request.job = job->id;
  request.lengths = std::move(job->chunks[chunk]);
  int64_t tokens = 0;
  for (const int32_t length : request.lengths) tokens += length;
  request.ids.resize(static_cast<std::size_t>(tokens));
  const Policy::Assignment assignment = policy_->Assign(tokens, world_.now());
  StepServer& replica = *replicas_[static_cast<std::size_t>(assignment.slot)];
  auto answer = [this, job, assignment](const absl::StatusOr<wire::InferenceResult>& result) {
    CHECK(result.ok()) << "the simulation overfills a queue: " << result.status();
    world_.In(options_.one_way, [this, job, assignment, load = result->load_tokens] {
      policy_->Answered(assignment, load, world_.now());
      if (++job->answered == job->chunks.size()) return job->done();
      Pump(job);
    });
  };
  const auto carried = std::make_shared<wire::InferenceRequest>(std::move(request));
  world_.In(options_.one_way, [&replica, carried, answer = std::move(answer)] {
    replica.Submit(std::move(*carried), answer);
  });
}

}  // namespace bench
