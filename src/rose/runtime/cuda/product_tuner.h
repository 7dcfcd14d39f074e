#pragma once

#include <cstdint>

#include "common/status.h"
#include "rose/cuda/graph.h"
#include "rose/cuda/product_choices.h"
#include "rose/runtime/cuda/cuda_pass.h"

namespace rose {

/// Measures which of the library's kernels a model's products are fastest with, each within whole
/// steps, since kernels that win alone may lose in the chain. Steps of growing token counts; a
/// candidate and the best so far take turns, and it is taken if steps become 0.5 % shorter.
class ProductTuner {
 public:
  /// Both outlive it; nothing else uses `pass` meanwhile.
  ProductTuner(CudaPass& pass, cuda::ProductChoices& choices) : pass_(pass), choices_(choices) {}

  /// Steps of sequences of `length` tokens, for counts up to `tokens_max`. What was chosen is in
  /// `choices`, and logged.
  absl::Status Tune(int64_t tokens_max, int64_t length);

 private:
  absl::Status TuneStep(int64_t tokens, int64_t length);
  absl::Status TuneShape(const GraphKey& key, const cuda::ProductShape& shape);
  absl::StatusOr<cuda::Graph> Capture(const GraphKey& key);
  /// Milliseconds of a step, over a run of them.
  absl::StatusOr<double> Time(const cuda::Graph& graph);

  CudaPass& pass_;
  cuda::ProductChoices& choices_;
  int steps_ = 1;  ///< Of a run.
};

}  // namespace rose
