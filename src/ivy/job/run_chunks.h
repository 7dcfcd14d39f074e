#pragma once

#include <memory>
#include <vector>

#include "ivy/job/answer.h"
#include "ivy/job/stage_metrics.h"
#include "ivy/job/tokenize.h"

namespace ivy {

struct ChunkOptions {
  int64_t chunk_tokens = 0;  ///< 0: what the replica says (saturation_tokens).
  int window = 2;            ///< Chunks of one job outstanding for each engine that is live.
};

/// Sends the sequences of a job to its model in chunks and holds what comes back by input. A chunk
/// that finds the queue full waits for another of the same job; with none under way the job fails.
/// It fails whole; then chunks under way are cancelled. `done` runs once, here or on the client's
/// thread; tokens, times and outputs of the answer are set. `metrics` outlives the run.
void RunChunks(std::shared_ptr<const Job> job, std::vector<Sequence> sequences,
               const ChunkOptions& options, const StageMetrics& metrics, AnswerDone done);

}  // namespace ivy
