#pragma once

#include <array>
#include <cstddef>

#include "common/metrics.h"

namespace tulip {

/// Calls of one method by the code that they ended with, which are gRPC's numbers. Any thread.
class CallMetrics {
 public:
  /// `metrics` may be null: nobody counts.
  CallMetrics(common::Metrics* metrics, const char* method);

  void Count(int code);

 private:
  static constexpr std::size_t kCodes = 17;
  std::array<prometheus::Counter*, kCodes> calls_{};
};

}  // namespace tulip
