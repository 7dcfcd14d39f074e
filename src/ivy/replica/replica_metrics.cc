#include "ivy/replica/replica_metrics.h"

namespace ivy {
namespace {

using Labels = common::Metrics::Labels;

Labels LabelsOf(const std::string& model, const std::string& address) {
  return {{"model", model}, {"replica", address}};
}

Labels With(Labels labels, const char* name, const char* value) {
  labels[name] = value;
  return labels;
}

prometheus::Counter& Failures(common::MetricScope& scope, const Labels& replica,
                              const char* reason) {
  return scope.Counter("parterre_replica_failures_total",
                       "Chunks that a replica did not answer as it should",
                       With(replica, "reason", reason));
}

}  // namespace

const char* ReplicaStateName(ReplicaState state) {
  switch (state) {
    case ReplicaState::kDown:
      return "down";
    case ReplicaState::kRefused:
      return "refused";
    case ReplicaState::kLive:
      return "live";
    case ReplicaState::kProbation:
      return "probation";
    case ReplicaState::kEjected:
      return "ejected";
    case ReplicaState::kLeaving:
      return "leaving";
  }
  return "unknown";
}

ReplicaMetrics::ReplicaMetrics(common::Metrics& metrics, const std::string& model,
                               const std::string& address)
    : scope_(metrics),
      outstanding_tokens(scope_.Gauge("parterre_replica_outstanding_tokens",
                                      "Tokens sent to a replica and not yet answered",
                                      LabelsOf(model, address))),
      requests(scope_.Counter("parterre_replica_requests_total", "Chunks sent to a replica",
                              LabelsOf(model, address))),
      failures(Failures(scope_, LabelsOf(model, address), "unavailable")),
      timeouts(Failures(scope_, LabelsOf(model, address), "timeout")),
      refusals(Failures(scope_, LabelsOf(model, address), "queue_full")),
      retries(scope_.Counter("parterre_replica_retries_total",
                             "Chunks of a replica that went to another one",
                             LabelsOf(model, address))),
      ejections(scope_.Counter("parterre_replica_ejections_total",
                               "Times that a replica got nothing for a while, having failed",
                               LabelsOf(model, address))),
      states_() {
  for (int i = 0; i < kReplicaStates; ++i) {
    const char* name = ReplicaStateName(static_cast<ReplicaState>(i));
    states_[static_cast<std::size_t>(i)] =
        &scope_.Gauge("parterre_replica_state", "1 for the state that a replica is in",
                      With(LabelsOf(model, address), "state", name));
  }
}

void ReplicaMetrics::Show(ReplicaState state) {
  for (int i = 0; i < kReplicaStates; ++i) {
    states_[static_cast<std::size_t>(i)]->Set(i == static_cast<int>(state) ? 1 : 0);
  }
}

}  // namespace ivy
