#include "bench/families/profile.h"

#include <omp.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "rose/core/arena.h"
#include "rose/cpu/cpu_backend.h"
#include "rose/cpu/cpu_ops.h"
#include "rose/models/model.h"
#include "rose/runtime/step_plan.h"

namespace bench {
namespace {

constexpr uint64_t kSeed = 1;
constexpr int kRuns = 3;  ///< Behind one that warms up.

/// The sequences that one worker takes through the model together.
Shape GroupOf(const Shape& shape) {
  const int64_t most = rose::StepLimits().group_tokens_max / shape.length;
  return {.sequences = std::clamp<int64_t>(most, 1, shape.sequences), .length = shape.length};
}

class CpuProfile final : public Profile {
 public:
  CpuProfile(std::unique_ptr<rose::cpu::CpuBackend> backend, std::unique_ptr<rose::Model> model)
      : backend_(std::move(backend)),
        model_(std::move(model)),
        workspace_(rose::cpu::CpuWorkspaceBytes(model_->encoder().head_dim(),
                                                backend_->linear_workspace_bytes())) {}

  PartSeconds Measure(const Shape& shape) override {
    const Shape group = GroupOf(shape);
    PartSeconds shortest = Run(group);
    for (int run = 0; run < kRuns; ++run) {
      const PartSeconds seconds = Run(group);
      if (run == 0 || seconds.sum() < shortest.sum()) shortest = seconds;
    }
    for (const Part part : kAllParts) {
      shortest[part] *= static_cast<double>(shape.sequences) / static_cast<double>(group.sequences);
    }
    return shortest;
  }

 private:
  PartSeconds Run(const Shape& shape) {
    const FilledBatch filled(shape, model_->encoder().vocabulary_size());
    const rose::Batch batch = filled.view();
    std::vector<int32_t> position_ids;
    position_ids.reserve(static_cast<std::size_t>(shape.tokens()));
    for (int64_t i = 0; i < shape.tokens(); ++i) {
      position_ids.push_back(static_cast<int32_t>(i % shape.length));
    }
    const std::vector<int32_t> type_ids(position_ids.size(), 0);
    const int64_t columns = model_->shape(hub::Output::kDense).columns;
    std::vector<float> values(static_cast<std::size_t>(shape.sequences * columns));
    hub::PerOutput<rose::Tensor> out;
    out[hub::Output::kDense] = {.data = values.data(), .rows = shape.sequences, .cols = columns};

    const rose::cpu::Memory memory(model_->ArenaBytes(backend_->dtype(), shape.tokens()));
    rose::Arena arena(memory.data(), memory.bytes());
    rose::cpu::Serial alone(workspace_.data());
    PartSeconds seconds;
    rose::cpu::CpuOps ops(backend_->dtype(), backend_->kernels(), arena, alone);
    TimedOps timed(ops, seconds);
    model_->Run(timed,
                {.ids = batch.ids,
                 .position_ids = position_ids,
                 .type_ids = type_ids,
                 .normalize = batch.normalize,
                 .shape = rose::BatchShape::OfHost(batch.cu_seqlens)},
                out);
    return seconds;
  }

  std::unique_ptr<rose::cpu::CpuBackend> backend_;
  std::unique_ptr<rose::Model> model_;
  rose::cpu::Memory workspace_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Profile>> Profile::Create(const hub::ModelFolder& folder,
                                                         rose::cpu::Isa isa, rose::DType dtype) {
  omp_set_num_threads(1);  // As the engine's workers have it.
  auto backend = std::make_unique<rose::cpu::CpuBackend>(isa, dtype);
  ASSIGN_OR_RETURN(auto model, rose::Model::Load(folder, {.random_seed = kSeed}, *backend));
  return std::make_unique<CpuProfile>(std::move(backend), std::move(model));
}

}  // namespace bench
