#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bench/simulate/policy.h"
#include "bench/simulate/step_server.h"
#include "bench/simulate/world.h"

namespace bench {

struct GatewayOptions {
  int64_t chunk_tokens = 0;
  int window = 2;                                     ///< Chunks of a job for each replica.
  Duration one_way = std::chrono::microseconds(100);  ///< To a replica, and back.
};

/// An Ivy as the simulation needs it: its own splitter and its balancer, or another policy; jobs go
/// out in chunks, as many at a time as the window says.
class Gateway {
 public:
  using Replicas = std::vector<std::unique_ptr<StepServer>>;
  using Done = std::function<void()>;

  /// World and replicas outlive it.
  Gateway(World& world, Replicas& replicas, std::unique_ptr<Policy> policy,
          const GatewayOptions& options)
      : world_(world), replicas_(replicas), policy_(std::move(policy)), options_(options) {}

  void Run(const std::vector<int32_t>& lengths, Done done);

 private:
  struct Job;
  void Pump(const std::shared_ptr<Job>& job);
  void Send(const std::shared_ptr<Job>& job, std::size_t chunk);

  World& world_;
  Replicas& replicas_;
  const std::unique_ptr<Policy> policy_;
  const GatewayOptions options_;
};

}  // namespace bench
