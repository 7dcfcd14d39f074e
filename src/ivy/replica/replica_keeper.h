#pragma once

#include <memory>
#include <optional>

#include "ivy/replica/periodic.h"
#include "ivy/replica/replica_set.h"
#include "ivy/replica/resolver.h"

namespace ivy {

struct ReplicaKeeperOptions {
  ReplicaSetOptions set = {};
  common::Duration refresh = std::chrono::seconds(10);   ///< Of the list.
  common::Duration patience = std::chrono::seconds(60);  ///< With the first replica, in Create.
};

/// Keeps a ReplicaSet going: one thread looks after its replicas and timeouts, one asks where they
/// are.
class ReplicaKeeper {
 public:
  /// Waits for the first replica that serves the model, for so long as it has patience; after that
  /// the set is Unavailable until there is one. `metrics` outlives the keeper.
  static std::unique_ptr<ReplicaKeeper> Create(ReplicaKeeperOptions options, Resolver resolver,
                                               ReplicaFactory factory, common::Metrics& metrics);

  ReplicaSet& set() { return set_; }

 private:
  ReplicaKeeper(ReplicaKeeperOptions options, Resolver resolver, ReplicaFactory factory,
                common::Metrics& metrics);
  void Refresh();

  const Resolver resolver_;
  ReplicaSet set_;
  Periodic refresh_;  ///< Both end before the set does.
  Periodic tick_;
};

}  // namespace ivy
