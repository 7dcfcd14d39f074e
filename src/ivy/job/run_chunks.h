#pragma once

#include <memory>
#include <vector>

#include "ivy/job/embed_job.h"
#include "ivy/job/tokenize.h"

namespace ivy {

struct ChunkOptions {
  int64_t chunk_tokens = 0;  ///< 0: what the replica says (saturation_tokens).
  int window = 2;            ///< Chunks of one job outstanding at a replica.
};

/// Sends the sequences of a job to its model in chunks and joins the vectors by index. A chunk that
/// finds the queue full waits for another of the same job; with none under way the job fails. It
/// fails whole; then chunks under way are cancelled. `done` runs once, here or on the client's
/// thread; tokens, times and values of the answer are set.
void RunChunks(std::shared_ptr<const EmbedJob> job, std::vector<Sequence> sequences,
               const ChunkOptions& options, EmbedDone done);

}  // namespace ivy
