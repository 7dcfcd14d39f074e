#pragma once

#include <cstdint>
#include <vector>

#include "common/status.h"
#include "ivy/job/job.h"

namespace ivy {

/// The tokens of one input.
struct Sequence {
  std::vector<int32_t> ids;
  /// As ids: which text of a pair each belongs to. Empty: all 0, or the model has but one type.
  std::vector<int32_t> type_ids;
  int prompt_tokens = 0;  ///< Leading tokens that the prompt takes.
};

/// The tokens of input `index`, truncated or refused (Cause::kTooLong) as the job says, never empty
/// (Cause::kEmpty). A text has the prompt in front. A pair is encoded as one, the longer text cut
/// first, or put into the model's template, whose body alone is cut. `scratch`: the caller's.
absl::StatusOr<Sequence> TokenizeInput(const Job& job, std::size_t index, text::Scratch& scratch);

}  // namespace ivy
