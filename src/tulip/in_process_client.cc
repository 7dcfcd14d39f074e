#include "tulip/in_process_client.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tulip/model_info.h"

namespace tulip {
namespace {

wire::ModelInfo DescribeWorkers(const std::vector<Worker*>& workers) {
  std::vector<wire::ModelInfo> engines;
  engines.reserve(workers.size());
  for (const Worker* worker : workers) engines.push_back(worker->info());
  return DescribeModel(engines);
}

}  // namespace

InProcessClient::InProcessClient(std::vector<Worker*> workers)
    : workers_(std::move(workers)), info_(DescribeWorkers(workers_)) {}

void InProcessClient::Infer(wire::InferenceRequest request, Callback done) {
  Choose().Submit(std::move(request), std::move(done));
}

bool InProcessClient::Healthy() const { return std::ranges::any_of(workers_, &Worker::healthy); }

/// Callers that choose at once see the same loads; that each begins with another worker keeps them
/// apart.
Worker& InProcessClient::Choose() {
  using Cost = std::pair<bool, int64_t>;  // Whether it has failed, then its load.
  const std::size_t first = turn_.fetch_add(1, std::memory_order_relaxed);
  Worker* best = nullptr;
  Cost least;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker* const worker = workers_[(first + i) % workers_.size()];
    const Cost cost = {!worker->healthy(), worker->load_tokens()};
    if (best != nullptr && cost >= least) continue;
    best = worker;
    least = cost;
  }
  return *best;
}

}  // namespace tulip
