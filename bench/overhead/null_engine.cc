#include "bench/overhead/null_engine.h"

#include <span>

namespace bench {
namespace {

class NullRows final : public rose::LazyTensor {
 public:
  NullRows(std::span<const float> values, int64_t rows, Recorder& recorder)
      : values_(values), rows_(rows), recorder_(recorder) {}

  bool Ready() const override { return true; }
  hub::PerOutput<rose::OutputRows> Wait() override {
    recorder_.Stamp(Mark::kAwaited);
    hub::PerOutput<rose::OutputRows> rows;
    rows[hub::Output::kDense] = {.values = values_, .rows = rows_, .columns = NullEngine::kColumns};
    return rows;
  }

 private:
  const std::span<const float> values_;
  const int64_t rows_;
  Recorder& recorder_;
};

}  // namespace

NullEngine::NullEngine(Recorder& recorder) : recorder_(recorder) {
  constexpr int64_t kStepTokens = 16'384, kSequences = 64;
  info_.family = "null";
  info_.pooling = "mean";
  info_.device = "none";
  info_.dtype = "float32";
  info_.outputs[hub::Output::kDense] = {.columns = kColumns};
  info_.max_length = kMaxLength;
  info_.vocabulary_size = kVocabularySize;
  info_.step_tokens_max = kStepTokens;
  info_.step_sequences_max = kSequences;
  info_.saturation_tokens = kStepTokens;
  rows_.assign(static_cast<std::size_t>(kColumns * kSequences), 1.0F / 32);  // Of length 1.
}

std::unique_ptr<rose::LazyTensor> NullEngine::Step(const rose::Batch& batch) {
  recorder_.Stamp(Mark::kStepped);
  const auto values = static_cast<std::size_t>(batch.sequences() * kColumns);
  return std::make_unique<NullRows>(std::span(rows_).first(values), batch.sequences(), recorder_);
}

}  // namespace bench
