#pragma once

#include <cstdint>
#include <vector>

#include "tulip/sched/request.h"

namespace tulip {

/// Consecutive sequences of one request that run in one batch.
struct Slice {
  Request* request = nullptr;  ///< Lives until the plan that ends it has been answered.
  int64_t sequence = 0;        ///< Index of the first within the request.
  int64_t sequences = 0;
  int64_t token = 0;  ///< Index of its first token within the request.
  int64_t tokens = 0;
};

/// What one visit to the queue decided. Of a request there is one slice at most. Batch rows stand
/// in the order of the slices. Reused: Clear keeps the memory.
struct BatchPlan {
  std::vector<Slice> slices;
  /// Requests that left the queue on this visit. A request's slices all lie in the plan that ends
  /// it and in earlier ones: answering plans in the order in which they were formed is enough.
  RequestList ended;
  int64_t tokens = 0;
  int64_t sequences = 0;

  bool empty() const { return slices.empty() && ended.empty(); }

  /// `more` follows what the plan has of its request.
  void Add(const Slice& more) {
    Request& request = *more.request;
    if (request.slice < slices.size() && slices[request.slice].request == &request) {
      slices[request.slice].sequences += more.sequences;
      slices[request.slice].tokens += more.tokens;
    } else {
      request.slice = slices.size();
      slices.push_back(more);
    }
    tokens += more.tokens;
    sequences += more.sequences;
  }

  void Clear() {
    slices.clear();
    ended.clear();
    tokens = 0;
    sequences = 0;
  }
};

}  // namespace tulip
