#include "ivy/api/tokenizer_metrics.h"

#include <algorithm>

namespace ivy {
namespace {

/// A count is read while others count: a later one is never less.
void Raise(prometheus::Counter& counter, uint64_t count) {
  counter.Increment(std::max(0.0, static_cast<double>(count) - counter.Value()));
}

}  // namespace

TokenizerMetrics::TokenizerMetrics(const ModelTable& models, common::Metrics& metrics) {
  for (const auto& model : models.models()) {
    const common::Metrics::Labels labels = {{"model", model->served.name}};
    models_.push_back(
        {.tokenizer = model->served.tokenizer,
         .words = metrics.Counter("parterre_tokenizer_words_total", "Words tokenized.", labels),
         .remembered = metrics.Counter("parterre_tokenizer_words_remembered_total",
                                       "Words of several pieces that were seen before.", labels),
         .split = metrics.Counter("parterre_tokenizer_words_split_total",
                                  "Words that the tokenizer's model had to split.", labels),
         .memory_bytes =
             metrics.Gauge("parterre_tokenizer_memory_bytes", "What a tokenizer holds.", labels)});
  }
}

void TokenizerMetrics::Update() {
  const common::MutexLock lock(mutex_);
  for (const Model& model : models_) {
    const text::WordCounts counts = model.tokenizer->word_counts();
    Raise(model.words, counts.words);
    Raise(model.remembered, counts.remembered);
    Raise(model.split, counts.split);
    model.memory_bytes.Set(static_cast<double>(model.tokenizer->memory_bytes()));
  }
}

}  // namespace ivy
