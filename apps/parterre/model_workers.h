#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/metrics.h"
#include "common/status.h"
#include "models.h"
#include "rose/runtime/engine.h"
#include "tulip/in_process_client.h"
#include "tulip/sched/request_queue.h"
#include "tulip/worker.h"

/// What computes: flags that serve and tulip share.
struct DeviceOptions {
  std::vector<std::string> device = {"auto"};  ///< An engine on each; auto stands alone.
  std::string weights = "file";
  rose::EngineOptions engine = {};  ///< Of each but its device and its weights' seed.
  tulip::QueueLimits queue = {};    ///< Of each engine.
  std::string schedule = "fcfs";

  /// Whether the model's own weights are run.
  bool weights_required() const { return weights == "file"; }
};

/// A model that nobody serves any more, and why. On any thread; does not block.
using FailureHook = std::function<void(const absl::Status& cause)>;

/// A model's engine and worker on each device, and the way to them.
class ModelWorkers {
 public:
  /// Loads the weights onto each device. `on_failure`: the last of its engines has failed, while it
  /// served. `metrics` outlives the workers. Errors name the flag, the file, the key or the tensor.
  static absl::StatusOr<std::unique_ptr<ModelWorkers>> Start(const NamedModel& model,
                                                             const DeviceOptions& options,
                                                             const FailureHook& on_failure,
                                                             common::Metrics& metrics);

  tulip::InProcessClient& client() { return *client_; }
  /// How long threads on the way to these workers may spin: beside a GPU there are cores to spare,
  /// beside an engine that computes on them there are none.
  common::Duration spin() const { return spin_; }
  /// As tulip::Worker::Shutdown.
  void Shutdown(common::TimePoint deadline);

 private:
  ModelWorkers() = default;

  common::Duration spin_ = {};
  std::vector<std::unique_ptr<tulip::Worker>> workers_;
  std::unique_ptr<tulip::InProcessClient> client_;
};
