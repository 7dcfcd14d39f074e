#pragma once

#include <memory>
#include <vector>

#include "bench/overhead/passage.h"
#include "rose/runtime/engine.h"

namespace bench {

/// An engine whose steps are done at once, with rows that are all alike. It records when it is
/// called.
class NullEngine final : public rose::Engine {
 public:
  static constexpr int64_t kColumns = 1024;
  static constexpr int64_t kMaxLength = 512;
  static constexpr int64_t kVocabularySize = 300'000;

  /// `recorder` outlives it.
  explicit NullEngine(Recorder& recorder);

  const rose::EngineInfo& info() const override { return info_; }
  int steps_in_flight_max() const override { return 2; }
  std::unique_ptr<rose::LazyTensor> Step(const rose::Batch& batch) override;

 private:
  rose::EngineInfo info_;
  std::vector<float> rows_;  ///< Of the largest step.
  Recorder& recorder_;
};

}  // namespace bench
