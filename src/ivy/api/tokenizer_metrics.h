#pragma once

#include <mutex>
#include <vector>

#include "common/metrics.h"
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

  std::mutex mutex_;
  std::vector<Model> models_;
};

}  // namespace ivy
