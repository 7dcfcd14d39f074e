#include "model_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/log.h"
#include "random_seed.h"
#include "tulip/model_info.h"

namespace {

/// A step that is under way is there soon, whenever that may be; the next request may be long in
/// coming.
constexpr std::chrono::milliseconds kSpinForWorkMax{2};

/// auto is the same device each time: where there are several, each has its name.
absl::Status CheckDevices(const std::vector<std::string>& devices) {
  if (devices.size() < 2 || std::ranges::count(devices, "auto") == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--device: auto goes with no other; name each, such as cuda:0 and cuda:1");
}

absl::Status CheckQueue(const NamedModel& model, const tulip::QueueLimits& queue) {
  if (queue.max_queue_tokens >= model.folder.max_length) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("--max-queue-tokens: expected at least {}, the longest input of {}, got {}",
                  model.folder.max_length, model.folder.name, queue.max_queue_tokens));
}

absl::StatusOr<std::unique_ptr<rose::Engine>> MakeEngine(const hub::ModelFolder& folder,
                                                         const DeviceOptions& options,
                                                         const std::string& device) {
  rose::EngineOptions engine = options.engine;
  engine.device = device;
  ASSIGN_OR_RETURN(engine.random_weights_seed, ParseRandomSeed(options.weights));
  return rose::Engine::Create(folder, engine);
}

tulip::Schedule ScheduleOf(const DeviceOptions& options) {
  return options.schedule == "fair" ? tulip::Schedule::kFair : tulip::Schedule::kFcfs;
}

bool IsGpu(const std::string& device) { return device.starts_with("cuda:"); }

/// "cuda:0"; of a second worker on that device "cuda:0#2".
std::string DeviceLabel(const std::string& device,
                        const std::vector<std::unique_ptr<tulip::Worker>>& before) {
  const auto same = std::ranges::count_if(
      before, [&](const auto& worker) { return worker->info().device == device; });
  return same == 0 ? device : fmt::format("{}#{}", device, same + 1);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ModelWorkers>> ModelWorkers::Start(const NamedModel& model,
                                                                  const DeviceOptions& options,
                                                                  const FailureHook& on_failure,
                                                                  common::Metrics& metrics) {
  RETURN_IF_ERROR(CheckDevices(options.device));
  RETURN_IF_ERROR(CheckQueue(model, options.queue));
  std::unique_ptr<ModelWorkers> model_workers(new ModelWorkers);
  auto& workers = model_workers->workers_;
  std::vector<tulip::Worker*> reached;
  for (const std::string& device : options.device) {
    ASSIGN_OR_RETURN(auto engine, MakeEngine(model.folder, options, device));
    wire::ModelInfo info = tulip::DescribeEngine(engine->info(), model.name);
    tulip::WorkerOptions worker = {.limits = options.queue,
                                   .schedule = ScheduleOf(options),
                                   .device_label = DeviceLabel(info.device, workers)};
    worker.on_failure = [on_failure, name = model.name,
                         all = model_workers.get()](const absl::Status& cause) {
      if (all->client().Healthy()) return;
      on_failure(
          absl::AbortedError(fmt::format("model {}: {}", name, std::string(cause.message()))));
    };
    if (IsGpu(info.device)) {
      worker.spin = std::min<common::Duration>(
          std::chrono::microseconds(options.engine.cuda_spin_us), kSpinForWorkMax);
    }
    model_workers->spin_ = std::max(model_workers->spin_, worker.spin);
    workers.push_back(
        std::make_unique<tulip::Worker>(std::move(engine), std::move(info), worker, metrics));
    reached.push_back(workers.back().get());
  }
  model_workers->client_ = std::make_unique<tulip::InProcessClient>(std::move(reached));
  if (model.folder.pooling_is_default) {
    spdlog::warn("{}: nothing says how to pool; taking {}", model.name,
                 hub::PoolingModeName(model.folder.pooling.modes.front()));
  }
  return model_workers;
}

void ModelWorkers::Shutdown(common::TimePoint deadline) {
  for (const auto& worker : workers_) worker->Shutdown(deadline);
}
