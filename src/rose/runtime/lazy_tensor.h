#pragma once

#include <cstdint>
#include <span>

namespace rose {

/// The rows of a step that may still be running ("Fast embeddings on GPUs", Perplexity 2026: a
/// pinned host buffer, the copy queued behind the forward, an event). Destroying it gives the
/// buffer back to the engine's pool, after waiting if need be. Ready and Wait: one thread at a
/// time, not necessarily the one that called Step.
class LazyTensor {
 public:
  struct Rows {
    std::span<const float> values;  ///< [rows × columns], valid until the LazyTensor dies.
    int64_t rows = 0;
    int64_t columns = 0;
  };

  virtual ~LazyTensor() = default;
  virtual bool Ready() const = 0;
  /// Blocks until the step is done. Values may be non-finite if the weights make them so.
  virtual Rows Wait() = 0;
};

}  // namespace rose
