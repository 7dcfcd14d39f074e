#include "rose/runtime/cpu_step.h"

#include <algorithm>
#include <new>

#include "common/check.h"
#include "rose/core/arena.h"
#include "rose/cpu/cpu_ops.h"

namespace rose {

class CpuStep::Lazy final : public LazyTensor {
 public:
  explicit Lazy(CpuStep& step) : step_(step) {}
  ~Lazy() override {
    step_.Wait();
    step_.taken_.store(false, std::memory_order_release);
  }
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;

  static void* operator new(std::size_t, std::byte* place) { return place; }
  static void operator delete(void*, std::byte*) {}
  static void operator delete(void*) {}  // The place is the step's.

  bool Ready() const override { return step_.Done(); }
  hub::PerOutput<OutputRows> Wait() override {
    step_.Job::Wait();
    hub::PerOutput<OutputRows> rows;
    for (const hub::Output output : hub::kAllOutputs) {
      if (!step_.outputs_.Has(output)) continue;
      const OutputShape shape = step_.runner_.model.shape(output);
      const int64_t count = shape.rows(step_.sequences_, step_.tokens_);
      rows[output] = {
          .values = {step_.rows_[output].floats(), static_cast<std::size_t>(count * shape.columns)},
          .rows = count,
          .columns = shape.columns};
    }
    return rows;
  }

 private:
  CpuStep& step_;
};

CpuStep::CpuStep(const CpuRunner& runner, const StepSizes& sizes)
    : runner_(runner), team_arena_(sizes.team_arena_bytes) {
  for (const hub::Output output : hub::kAllOutputs) {
    const OutputShape shape = runner.model.shape(output);
    rows_[output] = cpu::Memory(shape.rows(sizes.sequences, sizes.tokens) * shape.columns *
                                int64_t{sizeof(float)});
  }
  const auto size = static_cast<std::size_t>(sizes.tokens);
  plan_.groups.reserve(size);
  ids_.resize(size);
  position_ids_.resize(size);
  type_ids_.resize(size);
  cu_seqlens_.resize(2 * size);
  prompt_lengths_.resize(size);
  normalize_.resize(size);
}

std::unique_ptr<LazyTensor> CpuStep::Rows() {
  static_assert(sizeof(Lazy) <= sizeof lazy_place_);
  return std::unique_ptr<LazyTensor>(new (lazy_place_) Lazy(*this));
}

void CpuStep::Load(const Batch& batch) {
  CHECK(free() && batch.tokens() <= static_cast<int64_t>(ids_.size()) && batch.sequences() > 0 &&
        runner_.model.outputs().HasAll(batch.outputs))
      << batch.tokens() << " tokens in " << batch.sequences() << " sequences";
  taken_.store(true, std::memory_order_relaxed);
  PlanStep(batch.cu_seqlens, runner_.limits, plan_);
  sequences_ = batch.sequences();
  tokens_ = batch.tokens();
  outputs_ = batch.outputs;
  std::copy(batch.ids.begin(), batch.ids.end(), ids_.begin());
  if (batch.type_ids.empty()) {
    std::fill_n(type_ids_.begin(), batch.ids.size(), 0);
  } else {
    std::copy(batch.type_ids.begin(), batch.type_ids.end(), type_ids_.begin());
  }
  has_prompts_ = !batch.prompt_lengths.empty();
  std::copy(batch.prompt_lengths.begin(), batch.prompt_lengths.end(), prompt_lengths_.begin());
  std::copy(batch.normalize.begin(), batch.normalize.end(), normalize_.begin());
  auto cu = cu_seqlens_.begin();
  for (const StepPlan::Group& group : plan_.groups) {
    *cu++ = 0;
    for (int64_t s = group.sequence; s < group.sequence + group.sequences; ++s) {
      const int32_t begin = batch.cu_seqlens[static_cast<std::size_t>(s)];
      const int32_t end = batch.cu_seqlens[static_cast<std::size_t>(s + 1)];
      *cu++ = static_cast<int32_t>(end - group.token);
      for (int32_t i = begin; i < end; ++i) {
        position_ids_[static_cast<std::size_t>(i)] = i - begin;
      }
    }
  }
}

void CpuStep::RunTask(int task, cpu::WorkerPool& pool, int worker) {
  if (plan_.as_team) {
    cpu::WorkerPool::Lead lead(pool, worker);
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      RunGroup(plan_.groups[g], g, team_arena_, lead.parallel());
    }
  } else {
    cpu::Serial alone(pool.workspace(worker));
    const auto g = static_cast<std::size_t>(task);
    RunGroup(plan_.groups[g], g, runner_.arenas[static_cast<std::size_t>(worker)], alone);
  }
}

void CpuStep::RunGroup(const StepPlan::Group& group, std::size_t index, const cpu::Memory& memory,
                       cpu::Parallel& parallel) {
  const auto tokens = [&](const std::vector<int32_t>& values) {
    return std::span(values).subspan(static_cast<std::size_t>(group.token),
                                     static_cast<std::size_t>(group.tokens));
  };
  const auto first = static_cast<std::size_t>(group.sequence);
  const auto count = static_cast<std::size_t>(group.sequences);
  const auto cu_seqlens = std::span<const int32_t>(cu_seqlens_).subspan(first + index, count + 1);
  ModelInput input{.ids = tokens(ids_),
                   .position_ids = tokens(position_ids_),
                   .type_ids = tokens(type_ids_),
                   .prompt_lengths = {},
                   .normalize = std::span(normalize_).subspan(first, count),
                   .shape = BatchShape::OfHost(cu_seqlens)};
  if (has_prompts_) input.prompt_lengths = std::span(prompt_lengths_).subspan(first, count);
  const hub::PerOutput<Tensor> out = RowsOf(group);
  Arena arena(memory.data(), memory.bytes());
  cpu::CpuOps ops(runner_.dtype, runner_.kernels, arena, parallel);
  runner_.model.Run(ops, input, out);
}

hub::PerOutput<Tensor> CpuStep::RowsOf(const StepPlan::Group& group) const {
  hub::PerOutput<Tensor> out;
  for (const hub::Output output : hub::kAllOutputs) {
    if (!outputs_.Has(output)) continue;
    const OutputShape shape = runner_.model.shape(output);
    out[output] = {
        .data = rows_[output].floats() + shape.rows(group.sequence, group.token) * shape.columns,
        .dtype = DType::kFloat32,
        .rows = shape.rows(group.sequences, group.tokens),
        .cols = shape.columns};
  }
  return out;
}

}  // namespace rose
