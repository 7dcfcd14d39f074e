#pragma once

#include <cstdint>
#include <vector>

#include "rose/core/batch.h"
#include "tulip/sched/batch_plan.h"

namespace tulip {

/// The engine thread's own arrays behind a rose::Batch, made once for the largest step.
class BatchBuffer {
 public:
  explicit BatchBuffer(int64_t tokens_max);

  /// Copies the plan's sequences, of which there is at least one, side by side, to be asked for all
  /// that any of their requests asks for. The batch is valid
  /// until the next call. Allocates nothing up to `tokens_max` tokens.
  rose::Batch Pack(const BatchPlan& plan);

 private:
  void Clear();
  void AddSlice(const Slice& slice);

  std::vector<int32_t> ids_;
  std::vector<int32_t> type_ids_;  ///< Kept only while some slice of the batch has them.
  std::vector<int32_t> cu_seqlens_;
  std::vector<int32_t> prompt_lengths_;  ///< Likewise.
  std::vector<uint8_t> normalize_;
  bool has_type_ids_ = false;
  bool has_prompt_lengths_ = false;
};

}  // namespace tulip
