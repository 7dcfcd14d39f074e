#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hub/outputs.h"
#include "rose/core/batch.h"
#include "rose/cpu/kernels.h"
#include "rose/cpu/memory.h"
#include "rose/cpu/worker_pool.h"
#include "rose/models/model.h"
#include "rose/runtime/lazy_tensor.h"
#include "rose/runtime/step_plan.h"

namespace rose {

/// What all steps of a CPU engine share.
struct CpuRunner {
  const Model& model;
  const cpu::Kernels& kernels;
  DType dtype;
  std::vector<cpu::Memory> arenas;  ///< One for each worker, for groups of group_tokens_max.
  StepLimits limits;
};

/// Sizes of the largest step.
struct StepSizes {
  int64_t tokens = 0;
  int64_t sequences = 0;
  int64_t team_arena_bytes = 0;  ///< For the longest sequence.
};

/// The place of one step in flight: its copy of the batch, its plan, its rows. Used by one step
/// after the other without allocating.
class CpuStep final : public cpu::Job {
 public:
  /// `runner` outlives it. Memory that no step has needed yet is address space alone.
  CpuStep(const CpuRunner& runner, const StepSizes& sizes);

  bool free() const { return !taken_.load(std::memory_order_acquire); }
  /// Takes a free() place: copies the batch and plans its tasks. The engine thread.
  void Load(const Batch& batch);
  int tasks() const { return plan_.as_team ? 1 : static_cast<int>(plan_.groups.size()); }
  /// The rows of the step that has been submitted; the place is free again when they die.
  std::unique_ptr<LazyTensor> Rows();

  void RunTask(int task, cpu::WorkerPool& pool, int worker) override;

 private:
  class Lazy;  ///< Lives in lazy_place_.

  void RunGroup(const StepPlan::Group& group, std::size_t index, const cpu::Memory& memory,
                cpu::Parallel& parallel);
  /// Where the group's rows go.
  hub::PerOutput<Tensor> RowsOf(const StepPlan::Group& group) const;

  const CpuRunner& runner_;
  std::atomic<bool> taken_{false};
  StepPlan plan_;
  int64_t sequences_ = 0;
  int64_t tokens_ = 0;
  hub::Outputs outputs_;
  bool has_prompts_ = false;

  std::vector<int32_t> ids_;
  std::vector<int32_t> position_ids_;
  std::vector<int32_t> type_ids_;
  /// Of each group anew, from 0: sequence s of group g at s + g.
  std::vector<int32_t> cu_seqlens_;
  std::vector<int32_t> prompt_lengths_;
  std::vector<uint8_t> normalize_;
  hub::PerOutput<cpu::Memory> rows_;
  cpu::Memory team_arena_;
  alignas(std::max_align_t) std::byte lazy_place_[32];
};

}  // namespace rose
