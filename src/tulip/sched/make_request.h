#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "tulip/sched/request.h"

namespace tulip {

/// For tests: a request of sequences of these lengths, its ids counting up from `first_id`.
inline wire::InferenceRequest MakeRequest(std::vector<int32_t> lengths, int32_t first_id = 0) {
  wire::InferenceRequest request;
  request.ids.resize(std::accumulate(lengths.begin(), lengths.end(), int64_t{0}));
  std::iota(request.ids.begin(), request.ids.end(), first_id);
  request.lengths = std::move(lengths);
  return request;
}

/// For tests: a list of one, as RequestQueue::Push takes it.
inline RequestList ListOfOne(wire::InferenceRequest request, common::TimePoint now = {}) {
  RequestList one;
  one.emplace_back(std::move(request), nullptr, now);
  return one;
}

}  // namespace tulip
