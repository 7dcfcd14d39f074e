#pragma once

#include <string_view>
#include <vector>

#include "ivy/api/job_endpoint.h"

// What the two shapes of reranking have in common.

namespace ivy {

/// Reads query and the list `field` of texts, or objects that hold one as "text" where
/// `may_be_objects`, into a job of one pair for each; also instruction (or SGLang's instruct), for
/// models whose template has one. An empty text makes a pair like any other.
absl::StatusOr<Job> NewRerankJob(const JsonBody& body, const ApiContext& context,
                                 std::string_view field, bool may_be_objects);

struct Ranked {
  std::size_t index;  ///< Among the texts as they were sent.
  float score;
};

/// From the best to the worst, ties in the order sent. Ranks are those of the logits, so that they
/// are the same whether scores are raw or not.
std::vector<Ranked> Rank(const Job& job, const Answer& answer, bool raw_scores);

}  // namespace ivy
