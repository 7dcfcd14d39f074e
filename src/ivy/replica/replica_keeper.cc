#include "ivy/replica/replica_keeper.h"

#include <random>
#include <thread>
#include <utility>

#include "common/log.h"

namespace ivy {
namespace {

/// How soon a replica that has gone is noticed without a failure, and how late a timeout may be.
constexpr common::Duration kTickPause = std::chrono::milliseconds(50);

}  // namespace

ReplicaKeeper::ReplicaKeeper(ReplicaKeeperOptions options, Resolver resolver,
                             ReplicaFactory factory, common::Metrics& metrics)
    : resolver_(std::move(resolver)),
      set_(std::move(options.set), std::move(factory), metrics),
      refresh_(options.refresh, [this] { Refresh(); }),
      tick_(kTickPause, [this] { set_.Tick(); }) {}

std::unique_ptr<ReplicaKeeper> ReplicaKeeper::Create(ReplicaKeeperOptions options,
                                                     Resolver resolver, ReplicaFactory factory,
                                                     common::Metrics& metrics) {
  const common::Clock& clock = options.set.clock;
  const common::TimePoint end = clock.Now() + options.patience;
  // Gateways that drew the same replicas would send to the same ones.
  options.set.seed = std::random_device()();
  std::unique_ptr<ReplicaKeeper> keeper(
      new ReplicaKeeper(std::move(options), std::move(resolver), std::move(factory), metrics));
  while (!keeper->set_.Healthy() && clock.Now() < end) std::this_thread::sleep_for(kTickPause);
  return keeper;
}

/// A list that cannot be had, or is empty, changes nothing: what is there may well be working.
void ReplicaKeeper::Refresh() {
  const absl::StatusOr<std::vector<std::string>> addresses = resolver_();
  if (!addresses.ok()) {
    spdlog::warn("the list of replicas stays as it is: {}",
                 std::string(addresses.status().message()));
  } else if (!addresses->empty()) {
    set_.SetAddresses(*addresses);
  }
}

}  // namespace ivy
