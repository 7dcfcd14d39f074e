#pragma once

#include <cstdint>
#include <string>

#include "common/clock.h"

namespace rose {

/// Tells the log how far the reading of weights has come: every two seconds, and at its end.
class LoadProgress {
 public:
  /// `total_bytes`: of all there is to read; 0: unknown. `clock` outlives it.
  explicit LoadProgress(int64_t total_bytes, const common::Clock& clock = common::Clock::Steady());

  /// So many more have been read and laid out.
  void Add(int64_t tensors, int64_t bytes);
  void Finish() const;

  /// What the log is told: "0.80 of 2.40 GB, 120 tensors, 1.20 GB/s".
  std::string Text() const;

 private:
  const common::Clock& clock_;
  int64_t total_bytes_;
  int64_t bytes_ = 0;
  int64_t tensors_ = 0;
  common::TimePoint start_;
  common::TimePoint told_;
};

}  // namespace rose
