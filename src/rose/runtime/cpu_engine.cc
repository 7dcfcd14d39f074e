#include "rose/runtime/cpu_engine.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include "common/check.h"
#include "rose/cpu/cpu_backend.h"
#include "rose/cpu/cpu_ops.h"
#include "rose/cpu/isa.h"
#include "rose/cpu/worker_pool.h"
#include "rose/runtime/batch_budget.h"
#include "rose/runtime/cpu_step.h"
#include "rose/runtime/load.h"

namespace rose {
namespace {

constexpr std::string_view kDevice = "cpu";

class CpuEngine final : public Engine {
 public:
  CpuEngine(std::unique_ptr<cpu::CpuBackend> backend, std::unique_ptr<Model> model, EngineInfo info,
            int64_t max_length, int workers)
      : backend_(std::move(backend)),
        model_(std::move(model)),
        info_(std::move(info)),
        runner_{.model = *model_,
                .kernels = backend_->kernels(),
                .dtype = backend_->dtype(),
                .arenas = {},
                .limits = {.workers = workers}},
        sizes_{.tokens = info_.step_tokens_max,
               .sequences = info_.step_sequences_max,
               .team_arena_bytes = model_->ArenaBytes(
                   runner_.dtype, std::max(runner_.limits.group_tokens_max, max_length))},
        steps_{{{runner_, sizes_}, {runner_, sizes_}}},
        pool_(workers, cpu::CpuWorkspaceBytes(model_->encoder().head_dim(),
                                              backend_->linear_workspace_bytes())) {
    const int64_t arena_bytes = model_->ArenaBytes(runner_.dtype, runner_.limits.group_tokens_max);
    for (int i = 0; i < workers; ++i) runner_.arenas.emplace_back(arena_bytes);
    info_.memory_bytes = backend_->memory_bytes() + workers * arena_bytes +
                         static_cast<int64_t>(steps_.size()) * sizes_.team_arena_bytes;
  }

  const EngineInfo& info() const override { return info_; }
  int steps_in_flight_max() const override { return static_cast<int>(steps_.size()); }

  std::unique_ptr<LazyTensor> Step(const Batch& batch) override {
    const auto step = std::find_if(steps_.begin(), steps_.end(),
                                   [](const CpuStep& candidate) { return candidate.free(); });
    CHECK(step != steps_.end()) << "more than " << steps_.size() << " steps in flight";
    step->Load(batch);
    pool_.Submit(*step, step->tasks());
    return step->Rows();
  }

  /// Runs once what a step runs, so that no request pays for pages and code touched first.
  void WarmUp() {
    const auto tokens = static_cast<int32_t>(std::min<int64_t>(16, info_.step_tokens_max));
    const std::vector<int32_t> ids(static_cast<std::size_t>(tokens), 0);
    const std::array<int32_t, 2> cu_seqlens = {0, tokens};
    const std::array<uint8_t, 1> normalize = {1};
    Step({.ids = ids,
          .type_ids = {},
          .cu_seqlens = cu_seqlens,
          .prompt_lengths = {},
          .normalize = normalize,
          .outputs = model_->outputs()})
        ->Wait();
  }

  void MeasureCurve(const hub::ModelFolder& folder, const EngineOptions& options) {
    MeasureBatchBudget(*this, folder, options, SideBySideTokens(pool_.size()), info_);
  }

 private:
  std::unique_ptr<cpu::CpuBackend> backend_;
  std::unique_ptr<Model> model_;
  EngineInfo info_;
  CpuRunner runner_;
  const StepSizes sizes_;
  std::array<CpuStep, cpu::WorkerPool::kJobsMax> steps_;
  cpu::WorkerPool pool_;
};

int WorkerCount(const EngineOptions& options) {
  if (options.workers > 0) return options.workers;
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> MakeCpuEngine(const hub::ModelFolder& folder,
                                                      const EngineOptions& options) {
  if (options.attention != "auto") {
    spdlog::warn("--attention {}: is of GPUs; on a CPU only auto applies", options.attention);
  }
  ASSIGN_OR_RETURN(const cpu::Isa processor, cpu::DetectIsa());
  ASSIGN_OR_RETURN(const cpu::Isa isa, cpu::ParseIsa(options.isa, processor));
  ASSIGN_OR_RETURN(const DType dtype,
                   ChooseDType(options.dtype, cpu::HasBFloat16(isa), cpu::IsaName(isa)));
  auto backend = std::make_unique<cpu::CpuBackend>(isa, dtype);
  ASSIGN_OR_RETURN(auto model, LoadModel(folder, options, *backend));
  EngineInfo info = DescribeModel(folder, options, *model);
  info.device = kDevice;
  info.dtype = DTypeName(dtype);
  info.isa = cpu::IsaName(isa);
  auto engine = std::make_unique<CpuEngine>(std::move(backend), std::move(model), std::move(info),
                                            folder.max_length, WorkerCount(options));
  engine->WarmUp();
  engine->MeasureCurve(folder, options);
  return engine;
}

}  // namespace rose
