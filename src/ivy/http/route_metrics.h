#pragma once

#include <array>
#include <string>

#include "common/metrics.h"
#include "ivy/http/message.h"

namespace ivy {

/// Counts of one route: each answered request raises the request counter and the histogram by one,
/// and either the success counter or the failure counter of its cause. Any thread.
class RouteMetrics {
 public:
  RouteMetrics(common::Metrics& metrics, const std::string& route);

  void Count(const Response& response, common::Duration duration);

 private:
  prometheus::Counter& requests_;
  prometheus::Counter& successes_;
  common::Histogram& duration_;
  std::array<prometheus::Counter*, kCauses> failures_{};
};

}  // namespace ivy
