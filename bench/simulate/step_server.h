#pragma once

#include <cstdint>

#include "bench/simulate/world.h"
#include "ivy/replica/batch_curve.h"
#include "tulip/sched/batch_former.h"
#include "tulip/sched/request_queue.h"

namespace bench {

struct StepServerOptions {
  ivy::BatchCurve curve;
  int64_t budget_tokens = 0;
  tulip::Schedule schedule = tulip::Schedule::kFcfs;
  double slowdown = 1;  ///< Its steps take so much longer than the curve says.
  tulip::QueueLimits limits = {.max_queue_tokens = 1'000'000'000,
                               .max_concurrent_requests = 100'000'000};
};

/// A replica: Tulip's own queue and batches, before an engine that takes as long as the curve says.
/// Two steps are in flight, as on a GPU: the next is formed while one runs.
class StepServer {
 public:
  /// The world outlives it.
  StepServer(World& world, const StepServerOptions& options)
      : world_(world),
        options_(options),
        queue_(options.limits, options.schedule),
        former_(options.budget_tokens, options.budget_tokens) {}

  void Submit(wire::InferenceRequest request, wire::InferenceClient::Callback done);

  Duration busy() const { return busy_; }  ///< Time that its steps have taken.
  int64_t tokens() const { return tokens_; }

 private:
  void Form();
  void Complete(tulip::BatchPlan& plan);

  static constexpr int kStepsInFlight = 2;

  World& world_;
  const StepServerOptions options_;
  tulip::RequestQueue queue_;
  tulip::BatchFormer former_;
  int in_flight_ = 0;
  TimePoint free_at_{};
  int64_t load_tokens_ = 0;
  Duration busy_{};
  int64_t tokens_ = 0;
};

}  // namespace bench
