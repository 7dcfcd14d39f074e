#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "ivy/replica/balancer.h"
#include "ivy/replica/replica.h"
#include "ivy/replica/replica_metrics.h"

namespace ivy {

/// A replica and what the set knows of it.
struct Member {
  Member(std::unique_ptr<Replica> reached, common::Metrics& metrics, const std::string& model)
      : replica(std::move(reached)), counts(metrics, model, replica->address()) {}

  const std::unique_ptr<Replica> replica;
  ReplicaMetrics counts;
  Balancer::Slot slot = Balancer::kNone;
  /// What was last looked at; a replica that comes back tells it anew.
  std::shared_ptr<const wire::ModelInfo> info;
  bool refused = false;
  bool leaving = false;
  /// Threads in its Infer, and answers that it owes: while above 0 it stays. Any thread.
  std::atomic<int> uses{0};
};

/// The replicas that are listed, and those that were and still have work under way. Tells the
/// balancer which of them serve. Not for several threads at once; calls no replica.
class Roster {
 public:
  /// The balancer outlives it.
  Roster(wire::ModelInfo expected, Balancer& balancer)
      : expected_(std::move(expected)), balancer_(balancer) {}

  /// Those of `addresses` that are not here. The others go on, or leave.
  std::vector<std::string> List(const std::vector<std::string>& addresses);
  void Add(std::unique_ptr<Member> member);

  /// Takes in what a member's replica says now. FailedPrecondition: it runs another model, which is
  /// told once.
  absl::Status Observe(Member& member, const std::shared_ptr<const wire::ModelInfo>& info,
                       bool serving);

  /// Those that have left and owe nothing; the caller ends them.
  std::vector<std::unique_ptr<Member>> TakeGone();
  /// All of them, whatever they owe.
  std::vector<std::unique_ptr<Member>> TakeAll() { return std::move(members_); }

  std::vector<Member*> members() const;
  Member& At(Balancer::Slot slot) { return *by_slot_[static_cast<std::size_t>(slot)]; }
  void Show(Member& member) const;

  /// That of the first replica found right; null until then, and the same from then on.
  const std::shared_ptr<const wire::ModelInfo>& info() const { return info_; }

 private:
  ReplicaState StateOf(const Member& member) const;
  absl::Status Check(const wire::ModelInfo& told) const;

  const wire::ModelInfo expected_;
  Balancer& balancer_;
  std::shared_ptr<const wire::ModelInfo> info_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<Member*> by_slot_;
};

}  // namespace ivy
