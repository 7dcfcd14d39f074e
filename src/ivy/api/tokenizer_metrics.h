#pragma once

#include <vector>

#include "common/metrics.h"
#include "common/mutex.h"
#include "ivy/job/model_table.h"

namespace ivy {

/// What the tokenizers say of themselves, as metrics by model. Any thread.
class TokenizerMetrics {
 public:
  /// Both outlive this.
  TokenizerMetrics(const ModelTable& models, common::Metrics& metrics);

  /// Brings the metrics up to date: they are read off when somebody asks, so that tokenizing costs
  /// no more.
  void Update();

 private:
  struct Model {
    const text::Tokenizer* tokenizer;
    prometheus::Counter& words;
    prometheus::Counter& remembered;
    prometheus::Counter& split;
    prometheus::Gauge& memory_bytes;
  };

  /// Held while tokenizers are read, which lock nothing that waits for us.
  common::Mutex mutex_;
  std::vector<Model> models_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ivy
