#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/status.h"
#include "ivy/job/embed_job.h"
#include "ivy/job/text_pool.h"

namespace ivy {

struct Sequence {
  std::vector<int32_t> ids;
  int prompt_tokens = 0;  ///< Leading tokens that the prompt takes.
};

/// The tokens of input `index`: prompt put in front, truncated or refused (Cause::kTooLong) as the
/// job says, never empty (Cause::kEmpty). `scratch`: the caller's.
absl::StatusOr<Sequence> TokenizeInput(const EmbedJob& job, std::size_t index,
                                       text::Scratch& scratch);

/// All inputs of a job: at once if the text is short, else in slices on the pool, several at a
/// time. Between two slices of a job the pool serves others. `done` runs once, here or on a pool
/// thread; an error is that of the first wrong input.
void Tokenize(std::shared_ptr<const EmbedJob> job, TextPool& pool,
              std::function<void(absl::StatusOr<std::vector<Sequence>>)> done);

}  // namespace ivy
