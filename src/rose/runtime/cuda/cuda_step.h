#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/status.h"
#include "hub/outputs.h"
#include "rose/core/batch.h"
#include "rose/core/output_rows.h"
#include "rose/cuda/memory.h"
#include "rose/cuda/stream.h"
#include "rose/kernels/step_io.h"
#include "rose/runtime/lazy_tensor.h"

namespace rose {

/// The place of one step in flight: its rows in pinned memory and how one knows that they are
/// there. Either the step's last kernel writes them and raises a flag, or they are copied behind
/// it. Used by one step after the other; memory for rows is taken when a step needs more than any
/// before it.
class CudaStep {
 public:
  struct Options {
    int device = 0;
    hub::PerOutput<OutputShape> shapes = {};
    int64_t spin_us = 0;
  };

  static absl::StatusOr<std::unique_ptr<CudaStep>> Create(const Options& options);

  bool free() const { return !taken_.load(std::memory_order_acquire); }

  /// Takes a free() place. Rows follows, whatever comes between.
  void Take();
  /// Makes room for the batch. ResourceExhausted: not enough memory for its rows.
  absl::Status Load(const Batch& batch);
  /// What the step's kernels are told of this place. `publish`: the last of them writes the rows of
  /// the one output that is asked for, and raises the flag.
  kernels::StepHeader Header(const Batch& batch, bool publish);
  /// Queues, behind the step's kernels, what is left to be done: copies, unless rows are published,
  /// and the event. `outputs`: the device's rows, in the order of the batch.
  absl::Status Finish(const cuda::Stream& stream, const hub::PerOutput<Tensor>& outputs);
  /// The step could not be queued: Wait throws this.
  void Fail(absl::Status fault) { fault_ = std::move(fault); }
  /// The place is free again when it dies.
  std::unique_ptr<LazyTensor> Rows();

 private:
  class Lazy;  ///< Lives in lazy_place_.

  explicit CudaStep(const Options& options) : options_(options) {}
  int64_t RowCount(hub::Output output) const {
    return options_.shapes[output].rows(sequences_, tokens_);
  }
  bool Ready() const;
  /// Polls for a while, then sleeps.
  absl::Status Wait();
  hub::PerOutput<OutputRows> View() const;

  const Options options_;
  std::atomic<bool> taken_{false};
  int64_t sequences_ = 0;
  int64_t tokens_ = 0;
  hub::Outputs outputs_;
  bool published_ = false;
  uint32_t steps_ = 0;  ///< What the flag is raised to.
  absl::Status fault_;
  hub::PerOutput<cuda::PinnedMemory> rows_;
  cuda::PinnedMemory flag_;
  cuda::Event done_;
  alignas(std::max_align_t) std::byte lazy_place_[32];
};

}  // namespace rose
