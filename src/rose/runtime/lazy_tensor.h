#pragma once

#include "hub/outputs.h"
#include "rose/core/output_rows.h"

namespace rose {

/// The rows of a step that may still be running ("Fast embeddings on GPUs", Perplexity 2026: a
/// pinned host buffer, the copy queued behind the forward, an event). Destroying it gives the
/// buffer back to the engine's pool, after waiting if need be. Ready and Wait: one thread at a
/// time, not necessarily the one that called Step.
class LazyTensor {
 public:
  virtual ~LazyTensor() = default;
  virtual bool Ready() const = 0;
  /// Blocks until the step is done. The rows are valid until the LazyTensor dies. Values may be
  /// non-finite if the weights make them so. A fault of the device throws std::runtime_error, here
  /// and from every later step.
  virtual hub::PerOutput<OutputRows> Wait() = 0;
};

}  // namespace rose
