#pragma once

#include <array>
#include <string>

#include "common/metric_scope.h"
#include "common/metrics.h"

namespace ivy {

/// What a replica is to the set.
enum class ReplicaState {
  kDown,     ///< Out of reach, or does not serve.
  kRefused,  ///< Runs another model.
  kLive,
  kProbation,  ///< Back from an ejection.
  kEjected,
  kLeaving,  ///< No longer listed; ends what it has under way.
};
inline constexpr int kReplicaStates = static_cast<int>(ReplicaState::kLeaving) + 1;

/// "down", "refused", …
const char* ReplicaStateName(ReplicaState state);

/// One replica's metrics, under the labels of its model and address, from which they go with it.
/// Any thread.
class ReplicaMetrics {
 private:
  common::MetricScope scope_;

 public:
  ReplicaMetrics(common::Metrics& metrics, const std::string& model, const std::string& address);

  /// Gauges of states: 1 for this one, 0 for the others.
  void Show(ReplicaState state);

  prometheus::Gauge& outstanding_tokens;
  prometheus::Counter& requests;
  prometheus::Counter& failures;  ///< Broken off, out of reach or unreadable.
  prometheus::Counter& timeouts;
  prometheus::Counter& refusals;  ///< Full queue.
  prometheus::Counter& retries;
  prometheus::Counter& ejections;

 private:
  std::array<prometheus::Gauge*, kReplicaStates> states_;
};

}  // namespace ivy
