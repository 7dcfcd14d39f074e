#pragma once

#include "ivy/replica/periodic.h"
#include "ivy/replica/replica_set.h"
#include "ivy/replica/resolver.h"

namespace ivy {

struct ReplicaKeeperOptions {
  ReplicaSetOptions set = {};
  common::Duration refresh = std::chrono::seconds(10);  ///< Of the list.
};

/// Keeps a ReplicaSet going: one thread looks after its replicas and timeouts, one asks where they
/// are.
class ReplicaKeeper {
 public:
  /// Begins; until a replica has been found the set is Unavailable. `metrics` outlives the keeper.
  ReplicaKeeper(ReplicaKeeperOptions options, Resolver resolver, ReplicaFactory factory,
                common::Metrics& metrics);

  ReplicaSet& set() { return set_; }

 private:
  void Refresh();

  const Resolver resolver_;
  ReplicaSet set_;
  Periodic refresh_;  ///< Both end before the set does.
  Periodic tick_;
};

}  // namespace ivy
