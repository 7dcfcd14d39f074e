#include "ivy/replica/roster.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ivy/replica/replica_check.h"

namespace ivy {

std::vector<std::string> Roster::List(const std::vector<std::string>& addresses) {
  std::set<std::string> listed(addresses.begin(), addresses.end());
  for (const auto& member : members_) {
    member->leaving = listed.erase(member->replica->address()) == 0;
    if (member->leaving) balancer_.SetDown(member->slot);
    Show(*member);
  }
  return {listed.begin(), listed.end()};
}

void Roster::Add(std::unique_ptr<Member> member) {
  member->slot = balancer_.Add();
  by_slot_.resize(std::max(by_slot_.size(), static_cast<std::size_t>(member->slot) + 1));
  by_slot_[static_cast<std::size_t>(member->slot)] = member.get();
  Show(*member);
  members_.push_back(std::move(member));
}

absl::Status Roster::Observe(Member& member, const std::shared_ptr<const wire::ModelInfo>& info,
                             bool serving) {
  absl::Status status;
  const bool news = info != nullptr && info != member.info;
  if (news) {
    status = Check(*info);
    member.refused = !status.ok();
    member.info = info;
    if (status.ok() && info_ == nullptr) info_ = info;
  }
  const bool up = serving && info != nullptr && !member.refused && !member.leaving;
  const bool was_up = balancer_.state(member.slot) != Balancer::State::kDown;
  if (!up) {
    balancer_.SetDown(member.slot);
  } else if (news || !was_up) {
    balancer_.SetUp(member.slot, BatchCurve(info->batch_curve), info->engines);
  }
  Show(member);
  return status;
}

std::vector<std::unique_ptr<Member>> Roster::TakeGone() {
  std::vector<std::unique_ptr<Member>> gone;
  for (auto& member : members_) {
    if (!member->leaving || member->uses > 0) continue;
    member->counts.Show(ReplicaState::kDown);
    balancer_.Remove(member->slot);
    gone.push_back(std::move(member));
  }
  std::erase(members_, nullptr);
  return gone;
}

std::vector<Member*> Roster::members() const {
  std::vector<Member*> members;
  members.reserve(members_.size());
  for (const auto& member : members_) members.push_back(member.get());
  return members;
}

void Roster::Show(Member& member) const { member.counts.Show(StateOf(member)); }

ReplicaState Roster::StateOf(const Member& member) const {
  if (member.leaving) return ReplicaState::kLeaving;
  if (member.refused) return ReplicaState::kRefused;
  switch (balancer_.state(member.slot)) {
    case Balancer::State::kDown:
      return ReplicaState::kDown;
    case Balancer::State::kLive:
      return ReplicaState::kLive;
    case Balancer::State::kEjected:
      return ReplicaState::kEjected;
    case Balancer::State::kProbation:
      return ReplicaState::kProbation;
  }
  return ReplicaState::kDown;
}

/// All of a set give the same: what the gateway expects of its model, and what the first one gave.
absl::Status Roster::Check(const wire::ModelInfo& told) const {
  RETURN_IF_ERROR(CheckReplica(expected_, told));
  return info_ == nullptr ? absl::OkStatus() : CheckReplica(*info_, told);
}

}  // namespace ivy
