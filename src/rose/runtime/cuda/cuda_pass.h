#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/status.h"
#include "hub/outputs.h"
#include "rose/core/attention_method.h"
#include "rose/core/dtype.h"
#include "rose/core/tensor.h"
#include "rose/cuda/attention_plans.h"
#include "rose/cuda/cublaslt_library.h"
#include "rose/cuda/device.h"
#include "rose/cuda/library_products.h"
#include "rose/cuda/memory.h"
#include "rose/cuda/small_products.h"
#include "rose/cuda/stream.h"
#include "rose/models/model.h"
#include "rose/runtime/cuda/step_bucket.h"
#include "rose/runtime/cuda/step_ring.h"
#include "rose/runtime/synthetic_batch.h"

namespace rose {

/// The largest step, padding included.
struct PassLimits {
  int64_t tokens = 0;
  int64_t sequences = 0;
};

/// What a step queues on the stream, from fetching its input to publishing its rows, and the memory
/// that it works in. Queued anew or into a graph, the same for all steps of a bucket. One thread.
class CudaPass {
 public:
  struct Options {
    cuda::Device device;
    DType dtype = DType::kBFloat16;
    PassLimits limits;
    std::optional<AttentionMethod> attention = {};  ///< Nothing: the fastest.
    std::string tuning = "auto";  ///< auto, off, or the file of the products' choices.
    bool poison_scratch = false;
  };

  /// `model` outlives it.
  static absl::StatusOr<std::unique_ptr<CudaPass>> Create(const Model& model,
                                                          const Options& options);

  /// Whether the last kernel of such a step writes its rows where the host reads them: one output,
  /// few enough rows that a copy would take longer.
  bool Publishes(const GraphKey& key) const;
  /// Queues one step: the forward, and the rows' way to the host if it publishes.
  absl::Status Queue(const GraphKey& key);
  /// Queues one step whose rows stay on the device.
  absl::Status QueueForward(const GraphKey& key);

  /// What the model is mostly asked for.
  hub::Output FirstOutput() const { return rose::FirstOutput(model_.outputs()); }

  /// Where an output's rows lie on the device until the next step.
  const hub::PerOutput<Tensor>& rows() const { return rows_; }
  StepRing& ring() { return ring_; }
  cuda::LibraryProducts& products() { return *products_; }
  /// Empty choices for this device and library, to be measured.
  cuda::ProductChoices NoChoices() const;
  const cuda::Stream& stream() const { return stream_; }
  int64_t memory_bytes() const;

 private:
  CudaPass(const Model& model, const Options& options) : model_(model), options_(options) {}

  hub::PerOutput<Tensor> RowsOf(const GraphKey& key) const;
  absl::StatusOr<cuda::ProductChoices> ReadChoices() const;

  const Model& model_;
  const Options options_;
  cuda::Stream stream_;
  std::unique_ptr<cuda::CublasLtLibrary> cublas_;
  std::unique_ptr<cuda::LibraryProducts> products_;
  cuda::SmallProducts small_products_;
  std::unique_ptr<cuda::AttentionPlans> attention_;
  StepRing ring_;
  cuda::DeviceMemory arena_;
  hub::PerOutput<cuda::DeviceMemory> row_memory_;
  hub::PerOutput<Tensor> rows_;  ///< Of the largest step.
};

}  // namespace rose
