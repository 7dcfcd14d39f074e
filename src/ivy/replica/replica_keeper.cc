#include "ivy/replica/replica_keeper.h"

#include <utility>

#include "common/log.h"
#include "common/random_id.h"

namespace ivy {
namespace {

/// How soon a replica that has gone is noticed without a failure, and how late a timeout may be.
constexpr common::Duration kTickPause = std::chrono::milliseconds(50);

/// Gateways that drew the same replicas would send to the same ones.
ReplicaSetOptions WithOwnSeed(ReplicaSetOptions options) {
  options.seed = common::RandomId();
  return options;
}

}  // namespace

ReplicaKeeper::ReplicaKeeper(ReplicaKeeperOptions options, Resolver resolver,
                             ReplicaFactory factory, common::Metrics& metrics)
    : resolver_(std::move(resolver)),
      set_(WithOwnSeed(std::move(options.set)), std::move(factory), metrics),
      refresh_(options.refresh, [this] { Refresh(); }),
      tick_(kTickPause, [this] { set_.Tick(); }) {}

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
