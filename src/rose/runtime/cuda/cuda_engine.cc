#include "rose/runtime/cuda/cuda_engine.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/check.h"
#include "rose/cuda/device.h"
#include "rose/cuda/graph.h"
#include "rose/cuda/status.h"
#include "rose/runtime/batch_budget.h"
#include "rose/runtime/cuda/cuda_pass.h"
#include "rose/runtime/cuda/cuda_step.h"
#include "rose/runtime/cuda/graph_cache.h"
#include "rose/runtime/cuda/loaded_model.h"
#include "rose/runtime/cuda/product_tuner.h"
#include "rose/runtime/synthetic_batch.h"

namespace rose {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Steps of one sequence are timed between these to find out from where on graphs gain nothing.
/// Below, they always gain, whatever a GPU that others use at the time may say: at 4096 tokens
/// still 1 % of XLM-R-large on an H200.
constexpr int64_t kGraphTokensMin = 4096, kGraphTokensMax = 8192;

class CudaEngine final : public Engine {
 public:
  CudaEngine(LoadedModel loaded, std::vector<std::unique_ptr<CudaStep>> steps,
             const EngineOptions& options)
      : backend_(std::move(loaded.backend)),
        model_(std::move(loaded.model)),
        pass_(std::move(loaded.pass)),
        steps_(std::move(steps)),
        info_(std::move(loaded.info)),
        device_(loaded.device.index),
        graphs_(options.cuda_graph_memory_mib << 20),
        graph_tokens_max_(options.cuda_graphs == "off" ? 0 : kGraphTokensMax) {}

  /// What is still queued uses what dies first.
  ~CudaEngine() override { pass_->stream().Wait().IgnoreError(); }

  const EngineInfo& info() const override { return info_; }
  int steps_in_flight_max() const override { return static_cast<int>(steps_.size()); }
  GraphCounters graph_counters() const override { return graphs_.counters(); }

  std::unique_ptr<LazyTensor> Step(const Batch& batch) override {
    const auto place = std::find_if(steps_.begin(), steps_.end(),
                                    [](const auto& candidate) { return candidate->free(); });
    CHECK(place != steps_.end()) << "more than " << steps_.size() << " steps in flight";
    CHECK(batch.sequences() > 0 && model_->outputs().HasAll(batch.outputs));
    CudaStep& step = **place;
    step.Take();
    if (absl::Status fault = Queue(batch, step); !fault.ok()) step.Fail(std::move(fault));
    return step.Rows();
  }

  /// Runs what a step runs, so that no request pays for what libraries do once, and finds how many
  /// tokens are worth a graph. `eagerly`: captures graphs of one sequence for all counts below.
  absl::Status WarmUp(bool eagerly) {
    RETURN_IF_ERROR(RunOnce(std::min<int64_t>(16, info_.step_tokens_max), model_->outputs()));
    const int64_t most = std::min(graph_tokens_max_, info_.max_length);
    int64_t inflection = 0;
    for (int64_t tokens = 16; tokens <= most && inflection == 0; tokens *= 2) {
      ASSIGN_OR_RETURN(const bool hidden, HidesLaunches(tokens));
      if (hidden && tokens >= kGraphTokensMin) inflection = tokens;
    }
    if (inflection > 0) graph_tokens_max_ = inflection;
    for (int64_t tokens = 16; eagerly && tokens <= std::min(most, graph_tokens_max_);
         tokens = TokenBucket(tokens + 1)) {
      for (int hit = 0; hit < 2; ++hit) RETURN_IF_ERROR(RunOnce(tokens, pass_->FirstOutput()));
    }
    info_.memory_bytes = backend_->memory_bytes() + pass_->memory_bytes();
    if (graph_tokens_max_ > 0) {
      spdlog::info("CUDA graphs for steps of up to {} tokens", graph_tokens_max_);
    }
    return absl::OkStatus();
  }

  void MeasureCurve(const hub::ModelFolder& folder, const EngineOptions& options) {
    MeasureBatchBudget(*this, folder, options, /*side_by_side_tokens=*/0, info_);
  }

 private:
  absl::Status Queue(const Batch& batch, CudaStep& step) {
    RETURN_IF_ERROR(fault_);
    RETURN_IF_ERROR(cuda::UseDevice(device_));
    RETURN_IF_ERROR(step.Load(batch));
    return fault_ = QueueLoaded(batch, step);
  }

  absl::Status QueueLoaded(const Batch& batch, CudaStep& step) {
    const GraphKey key{.bucket = BucketOf(batch.cu_seqlens), .outputs = batch.outputs};
    RETURN_IF_CUDA_ERROR(pass_->ring().Write(pass_->stream(), batch, key.bucket,
                                             step.Header(batch, pass_->Publishes(key))),
                         "copying a step's input");
    RETURN_IF_ERROR(QueueKernels(key));
    return step.Finish(pass_->stream(), pass_->rows());
  }

  absl::Status QueueKernels(const GraphKey& key) {
    using Action = GraphCache<cuda::Graph>::Action;
    if (key.bucket.tokens > graph_tokens_max_) {
      graphs_.CountEager();
      return pass_->Queue(key);
    }
    const auto [action, known] = graphs_.Meet(key);
    switch (action) {
      case Action::kRunEagerly:
        return pass_->Queue(key);
      case Action::kReplay:
        return cuda::ToStatus(known->Launch(pass_->stream()), "launching a CUDA graph");
      case Action::kCapture:
        break;
    }
    absl::StatusOr<cuda::Graph> graph =
        cuda::Graph::Capture(pass_->stream(), [&] { return pass_->Queue(key); });
    if (!graph.ok()) {
      // Too little memory, say. Nothing has run, and the step can do without.
      spdlog::warn("no CUDA graph for steps of {} tokens: {}", key.bucket.tokens,
                   std::string(graph.status().message()));
      graphs_.Refuse(key);
      return pass_->Queue(key);
    }
    return cuda::ToStatus(graphs_.Insert(key, *std::move(graph)).Launch(pass_->stream()),
                          "launching a CUDA graph");
  }

  /// One sequence of so many tokens, waited for.
  absl::Status RunOnce(int64_t tokens, hub::Outputs outputs) {
    const SyntheticBatch synthetic(tokens);
    CudaStep& step = *steps_.front();
    step.Take();
    const absl::Status queued = Queue(synthetic.view(outputs), step);
    const auto rows = step.Rows();
    RETURN_IF_ERROR(queued);
    return pass_->stream().Wait();
  }

  /// Whether the GPU takes so much longer for a step of one sequence than the host for queuing it
  /// kernel by kernel that a graph would gain nothing. The bucket has been met afterwards.
  absl::StatusOr<bool> HidesLaunches(int64_t tokens) {
    const SyntheticBatch synthetic(tokens);
    const Batch batch = synthetic.view(pass_->FirstOutput());
    const GraphKey key{.bucket = BucketOf(batch.cu_seqlens), .outputs = batch.outputs};
    bool hidden = false;
    for (int run = 0; run < 2; ++run) {  // The second: without what libraries do once.
      CudaStep& step = *steps_.front();
      step.Take();
      const auto rows = step.Rows();
      RETURN_IF_ERROR(step.Load(batch));
      const SteadyClock::time_point begin = SteadyClock::now();
      RETURN_IF_CUDA_ERROR(pass_->ring().Write(pass_->stream(), batch, key.bucket,
                                               step.Header(batch, pass_->Publishes(key))),
                           "copying a step's input");
      RETURN_IF_ERROR(pass_->Queue(key));
      RETURN_IF_ERROR(step.Finish(pass_->stream(), pass_->rows()));
      const SteadyClock::time_point queued = SteadyClock::now();
      RETURN_IF_ERROR(pass_->stream().Wait());
      // Well above one: what a graph saves between kernels counts too, and hosts are busy at times.
      hidden = SteadyClock::now() - begin > 4 * (queued - begin);
    }
    return hidden;
  }

  std::unique_ptr<cuda::CudaBackend> backend_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<CudaPass> pass_;
  std::vector<std::unique_ptr<CudaStep>> steps_;
  EngineInfo info_;
  int device_;
  /// Of the first step that was not queued whole. Host and device may count steps differently from
  /// then on, so none follows.
  absl::Status fault_;
  GraphCache<cuda::Graph> graphs_;
  int64_t graph_tokens_max_;  ///< Steps that are padded to more run without a graph.
};

absl::Status CheckOptions(const EngineOptions& options) {
  const std::string& graphs = options.cuda_graphs;
  if (graphs != "lazy" && graphs != "eager" && graphs != "off") {
    return absl::InvalidArgumentError(
        fmt::format("--cuda-graphs: expected lazy, eager or off, got \"{}\"", graphs));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FindUsableGpu() { return cuda::OpenFirstDevice().status(); }

absl::StatusOr<std::unique_ptr<Engine>> MakeCudaEngine(const hub::ModelFolder& folder,
                                                       const EngineOptions& options) {
  constexpr int kStepsInFlight = 2;
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(LoadedModel loaded, LoadedModel::Load(folder, options));
  std::vector<std::unique_ptr<CudaStep>> steps;
  for (int i = 0; i < kStepsInFlight; ++i) {
    ASSIGN_OR_RETURN(steps.emplace_back(), CudaStep::Create({.device = loaded.device.index,
                                                             .shapes = loaded.info.outputs,
                                                             .spin_us = options.cuda_spin_us}));
  }
  auto engine = std::make_unique<CudaEngine>(std::move(loaded), std::move(steps), options);
  RETURN_IF_ERROR(engine->WarmUp(options.cuda_graphs == "eager"));
  engine->MeasureCurve(folder, options);
  return engine;
}

absl::Status TuneCuda(const hub::ModelFolder& folder, const EngineOptions& options) {
  if (options.tuning == "off") {
    return absl::InvalidArgumentError("--tuning: expected auto or a file to write, got \"off\"");
  }
  EngineOptions untuned = options;  // Choices are compared with what the library prefers.
  untuned.tuning = "off";
  ASSIGN_OR_RETURN(LoadedModel loaded, LoadedModel::Load(folder, untuned));
  CudaPass& pass = *loaded.pass;
  cuda::ProductChoices choices = pass.NoChoices();
  const std::filesystem::path path =
      options.tuning == "auto" ? choices.DefaultPath() : std::filesystem::path(options.tuning);
  if (path.empty()) {
    return absl::InvalidArgumentError(
        "--tuning: expected a file, since neither XDG_CACHE_HOME nor "
        "HOME says where choices are kept");
  }
  constexpr int64_t kLength = 512;
  std::error_code ignored;
  // What other models were tuned for stays.
  if (std::filesystem::exists(path, ignored)) RETURN_IF_ERROR(choices.Read(path));
  RETURN_IF_ERROR(ProductTuner(pass, choices)
                      .Tune(options.max_batch_tokens, std::min(kLength, loaded.info.max_length)));
  RETURN_IF_ERROR(choices.Write(path));
  spdlog::info("wrote {}", path.string());
  return absl::OkStatus();
}

}  // namespace rose
