#include "stack.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "common/log.h"
#include "find_model.h"
#include "hub/model_folder.h"
#include "ivy/gateway.h"
#include "ivy/job/model.h"
#include "random_seed.h"
#include "rose/runtime/engine.h"
#include "text/tokenizer.h"
#include "tulip/in_process_client.h"
#include "tulip/model_info.h"
#include "tulip/worker.h"

namespace {

/// One served model, whole.
struct Model {
  std::string name;
  hub::ModelFolder folder;
  std::unique_ptr<text::Tokenizer> tokenizer;
  std::optional<ivy::ValueRanges> int8_ranges;
  std::vector<std::unique_ptr<tulip::Worker>> workers;  ///< One for each --device.
  std::unique_ptr<tulip::InProcessClient> client;
};

absl::StatusOr<hub::ModelFolder> OpenFolder(const std::string& name, const ServeOptions& options) {
  hub::OpenOptions open;
  if (!options.pooling.empty()) {
    ASSIGN_OR_RETURN(open.pooling, hub::ParsePoolingMode(options.pooling));
  }
  ASSIGN_OR_RETURN(open.task, hub::ParseTask(options.task));
  open.rerank_template = options.rerank_template;
  if (options.max_length > 0) open.max_length = options.max_length;
  open.weights_required = options.weights == "file";
  return OpenModel(name, options.revision, open.weights_required, open);
}

absl::StatusOr<std::unique_ptr<rose::Engine>> MakeEngine(const hub::ModelFolder& folder,
                                                         const ServeOptions& options,
                                                         const std::string& device) {
  rose::EngineOptions engine = options.engine;
  engine.device = device;
  ASSIGN_OR_RETURN(engine.random_weights_seed, ParseRandomSeed(options.weights));
  return rose::Engine::Create(folder, engine);
}

/// What a replica of the folder's model is going to say, as far as the gateway looks at it.
wire::ModelInfo Promise(const hub::ModelFolder& folder) {
  constexpr int64_t kAnyId = std::numeric_limits<int32_t>::max();  // A family asks for a size.
  wire::ModelInfo info;
  info.outputs = folder.outputs;
  info.dimension = static_cast<int32_t>(folder.dimension.value_or(0));
  if (folder.classifier) info.labels = static_cast<int32_t>(folder.classifier->labels.size());
  info.max_length = folder.max_length;
  info.vocabulary_size = static_cast<int32_t>(folder.shape.vocabulary_size.value_or(kAnyId));
  return info;
}

ivy::ServedModel DescribeServed(const Model& model, const ServeOptions& options) {
  return {.name = model.name,
          .folder = &model.folder,
          .tokenizer = model.tokenizer.get(),
          .client = model.client.get(),
          .plain_special = options.plain_special,
          .int8_ranges = model.int8_ranges};
}

/// auto is the same device each time: where there are several, each has its name.
absl::Status CheckDevices(const std::vector<std::string>& devices) {
  if (devices.size() < 2 || std::ranges::count(devices, "auto") == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--device: auto goes with no other; name each, such as cuda:0 and cuda:1");
}

/// "cuda:0"; of a second worker on that device "cuda:0#2".
std::string DeviceLabel(const std::string& device, const Model& model) {
  const auto before = std::ranges::count_if(
      model.workers, [&](const auto& worker) { return worker->info().device == device; });
  return before == 0 ? device : fmt::format("{}#{}", device, before + 1);
}

/// Loads the weights onto each device.
absl::Status StartWorkers(const ServeOptions& options, common::Metrics& metrics, Model& model) {
  tulip::QueueLimits limits = options.queue;
  limits.max_concurrent_requests = options.gateway.api.runner.inputs_in_flight_max;
  std::vector<tulip::Worker*> workers;
  for (const std::string& device : options.device) {
    ASSIGN_OR_RETURN(auto engine, MakeEngine(model.folder, options, device));
    wire::ModelInfo info = tulip::DescribeReplica(engine->info(), model.name);
    tulip::WorkerOptions worker = {.limits = limits,
                                   .device_label = DeviceLabel(info.device, model)};
    model.workers.push_back(
        std::make_unique<tulip::Worker>(std::move(engine), std::move(info), worker, metrics));
    workers.push_back(model.workers.back().get());
  }
  model.client = std::make_unique<tulip::InProcessClient>(std::move(workers));
  return absl::OkStatus();
}

/// `argument` is a folder or hub id, or NAME= and one of them.
absl::StatusOr<std::unique_ptr<Model>> LoadModel(const std::string& argument,
                                                 const ServeOptions& options,
                                                 common::Metrics& metrics) {
  auto model = std::make_unique<Model>();
  const std::size_t equals = argument.find('=');
  const std::string path = equals == std::string::npos ? argument : argument.substr(equals + 1);
  ASSIGN_OR_RETURN(model->folder, OpenFolder(path, options));
  if (options.queue.max_queue_tokens < model->folder.max_length) {
    return absl::InvalidArgumentError(
        fmt::format("--max-queue-tokens: expected at least {}, the longest input of {}, got {}",
                    model->folder.max_length, model->folder.name, options.queue.max_queue_tokens));
  }
  model->name = equals == std::string::npos ? model->folder.name : argument.substr(0, equals);
  if (!options.served_model_name.empty()) model->name = options.served_model_name;
  ASSIGN_OR_RETURN(model->tokenizer, text::Tokenizer::FromFolder(model->folder.tokenizer_folder));
  // The JSON behind it took several times what it keeps; the weights come next and want the room.
  malloc_trim(0);
  if (!options.int8_ranges.empty()) {
    ASSIGN_OR_RETURN(model->int8_ranges, ivy::ReadValueRanges(options.int8_ranges));
  }
  // What the gateway would refuse is told before any weight is read.
  RETURN_IF_ERROR(ivy::MakeModel(DescribeServed(*model, options), Promise(model->folder)).status());
  RETURN_IF_ERROR(StartWorkers(options, metrics, *model));
  if (model->folder.pooling_is_default) {
    spdlog::warn("{}: nothing says how to pool; taking {}", model->name,
                 hub::PoolingModeName(model->folder.pooling.modes.front()));
  }
  return model;
}

ivy::GatewayOptions DescribeGateway(const ServeOptions& options) {
  ivy::GatewayOptions gateway = options.gateway;
  gateway.api.runner.chunks.window *= static_cast<int>(options.device.size());
  gateway.api.any_model_name = options.served_model_name.empty();
  gateway.api.version = PARTERRE_VERSION;
  return gateway;
}

}  // namespace

struct Stack::Parts {
  common::Metrics metrics;
  std::vector<std::unique_ptr<Model>> models;
  std::unique_ptr<ivy::Gateway> gateway;
};

Stack::Stack(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

absl::StatusOr<std::unique_ptr<Stack>> Stack::Create(const ServeOptions& options) {
  if (options.model.size() > 1 && !options.served_model_name.empty()) {
    return absl::InvalidArgumentError(
        "--served-model-name: goes with one model only; write --model NAME=FOLDER");
  }
  if (options.model.size() > 1 && !options.int8_ranges.empty()) {
    return absl::InvalidArgumentError("--int8-ranges: goes with one model only");
  }
  RETURN_IF_ERROR(CheckDevices(options.device));
  auto parts = std::make_unique<Parts>();
  std::vector<ivy::ServedModel> served;
  for (const std::string& argument : options.model) {
    ASSIGN_OR_RETURN(parts->models.emplace_back(), LoadModel(argument, options, parts->metrics));
    served.push_back(DescribeServed(*parts->models.back(), options));
  }
  ASSIGN_OR_RETURN(parts->gateway, ivy::Gateway::Create(DescribeGateway(options), std::move(served),
                                                        parts->metrics));
  return std::unique_ptr<Stack>(new Stack(std::move(parts)));
}

Stack::~Stack() { Shutdown(common::TimePoint::min()); }

int Stack::port() const { return parts_->gateway->port(); }

void Stack::BeginDrain() { parts_->gateway->BeginDrain(); }

void Stack::Shutdown(common::TimePoint deadline) {
  parts_->gateway->StopAccepting();
  // While the workers still run, the connections get their answers.
  parts_->gateway->Wait(deadline);
  for (const auto& model : parts_->models) {
    for (const auto& worker : model->workers) worker->Shutdown(deadline);
  }
}
