#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/status.h"
#include "ivy/job/text_pool.h"
#include "ivy/job/tokenize_input.h"

namespace ivy {

/// Of all inputs as they are tokenized, each with what stands in front of it (a prompt, a query, an
/// instruction); ids count nothing.
std::size_t TextBytes(const Job& job);

/// All inputs of a job: at once if the text is short, else in slices on the pool, several at a
/// time. Between two slices of a job the pool serves others. `done` runs once, here or on a pool
/// thread; an error is that of the first wrong input.
void Tokenize(std::shared_ptr<const Job> job, TextPool& pool,
              std::function<void(absl::StatusOr<std::vector<Sequence>>)> done);

}  // namespace ivy
