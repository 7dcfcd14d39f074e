#include "bench/simulate/step_server.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace bench {

void StepServer::Submit(wire::InferenceRequest request, wire::InferenceClient::Callback done) {
  tulip::RequestList one;
  one.emplace_back(std::move(request), std::move(done), world_.now());
  const int64_t tokens = one.front().tokens();
  if (absl::Status status = queue_.Push(one); !status.ok()) {
    return one.front().done(std::move(status));
  }
  load_tokens_ += tokens;
  Form();
}

void StepServer::Form() {
  while (in_flight_ < kStepsInFlight && !queue_.empty()) {
    const auto plan = std::make_shared<tulip::BatchPlan>();
    former_.Form(queue_, world_.now(), *plan);
    const Duration time = Microseconds(
        options_.slowdown * options_.curve.Microseconds(static_cast<double>(plan->tokens)));
    ++in_flight_;
    free_at_ = std::max(free_at_, world_.now()) + time;
    busy_ += time;
    world_.At(free_at_, [this, plan] { Complete(*plan); });
  }
}

void StepServer::Complete(tulip::BatchPlan& plan) {
  --in_flight_;
  load_tokens_ -= plan.tokens;
  tokens_ += plan.tokens;
  for (const tulip::Request& request : plan.ended) {
    wire::InferenceResult result;
    result.load_tokens = load_tokens_;
    request.done(std::move(result));
  }
  Form();
}

}  // namespace bench
