#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <atomic>
#include <memory>
#include <string>

#include "common/mutex.h"
#include "common/status.h"
#include "proto/grpc/health/v1/health.grpc.pb.h"
#include "proto/tulip/v1/tulip.grpc.pb.h"
#include "wire/inference.h"

namespace ivy {

/// Finds out what a replica runs and whether it serves, for as long as it exists: asks for its Info
/// until it is told, then watches its health until that stream ends, as it does with the
/// connection; then from the beginning. So one stream tells of draining at once and of a lost
/// connection too, where asking (Check) would be late by its period and the channel's state knows
/// nothing of draining. One step at a time, on gRPC's threads.
class ReplicaProbe {
 public:
  ReplicaProbe(const std::shared_ptr<grpc::Channel>& channel, std::string address,
               std::string model);
  /// Waits for the step under way, which is cancelled. Not from a callback.
  ~ReplicaProbe();

  ReplicaProbe(const ReplicaProbe&) = delete;
  ReplicaProbe& operator=(const ReplicaProbe&) = delete;

  /// Null until it has said it since it was last out of reach. Any thread.
  std::shared_ptr<const wire::ModelInfo> info() const;
  /// Any thread.
  bool serving() const { return serving_; }

 private:
  class Watch;

  /// What may be cancelled of a step: its call, or its pause. Each is used once.
  struct Step {
    grpc::ClientContext context;
    grpc::Alarm alarm;
  };

  /// The next step; null, and the end, if there is to be none.
  std::shared_ptr<Step> Begin();
  void AskInfo();
  void HearInfo(const grpc::Status& status);
  absl::StatusOr<wire::ModelInfo> ReadAnswer() const;
  void WatchHealth();
  void HearHealth(bool serving) { serving_ = serving; }
  /// The replica is out of reach, or of no use: a pause, then from the beginning.
  void Lose(const absl::Status& cause);

  const std::string address_;
  const std::string model_;
  const std::unique_ptr<tulip::v1::Tulip::Stub> tulip_;
  const std::unique_ptr<grpc::health::v1::Health::Stub> health_;
  std::atomic<bool> serving_{false};

  // The step's alone.
  tulip::v1::InfoRequest request_;
  tulip::v1::InfoResponse answer_;
  std::unique_ptr<Watch> watch_;
  std::string told_;  ///< What the log has last said of it.

  mutable common::Mutex mutex_;
  common::ConditionVariable ended_changed_;
  std::shared_ptr<const wire::ModelInfo> info_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<Step> step_ ABSL_GUARDED_BY(mutex_);  ///< The one under way.
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ivy
