#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/clock.h"
#include "common/metrics.h"
#include "common/mutex.h"
#include "ivy/replica/balancer.h"
#include "ivy/replica/replica.h"
#include "ivy/replica/roster.h"
#include "wire/inference.h"

namespace ivy {

struct ReplicaSetOptions {
  std::string model = {};  ///< What messages and metrics call it.
  common::Duration chunk_timeout = std::chrono::seconds(10);  ///< --chunk-timeout-ms
  BalancerOptions balancer = {};
  /// What Ivy's own model folder says; what is empty or 0 is not known and not compared.
  wire::ModelInfo expected = {};
  const common::Clock& clock = common::Clock::Steady();  ///< Outlives the set.
  uint64_t seed = 1;  ///< Of what is drawn; ReplicaKeeper takes one by chance.
};

/// A model's replicas as one client. A chunk goes to the replica that the balancer chooses; where
/// that one is out of reach, answers nothing within the time for a chunk, or has a full queue, once
/// more to another. The first answer to come from where the chunk is now counts, a late one from
/// elsewhere is dropped. A replica that runs another model is named in the log and gets nothing.
///
/// It has no thread and no timer: ReplicaKeeper calls Tick. No lock is held while a Replica or a
/// callback is called. Any thread, but for what says otherwise.
class ReplicaSet final : public wire::InferenceClient {
 public:
  /// `metrics` outlives the set.
  ReplicaSet(ReplicaSetOptions options, ReplicaFactory factory, common::Metrics& metrics);
  /// Answers what is under way with Unavailable. No Infer after that has begun.
  ~ReplicaSet() override;

  ReplicaSet(const ReplicaSet&) = delete;
  ReplicaSet& operator=(const ReplicaSet&) = delete;

  /// Reaches for those that are new; those no longer listed end what they have under way. One
  /// thread at a time.
  void SetAddresses(const std::vector<std::string>& addresses);
  /// Looks at what the replicas say, gives up on answers that are late, and ends replicas that have
  /// left. Called every few ten ms; one thread at a time.
  void Tick();

  void Infer(wire::InferenceRequest request, Callback done) override;
  /// Once a replica has been found right.
  bool Ready() const override { return info_.load() != nullptr; }
  /// That of the first replica found right; the others agree with it in all that a job depends on.
  /// Until there is one, what is expected.
  const wire::ModelInfo& Info() const override;
  /// While any replica serves.
  bool Healthy() const override { return serving_ > 0; }
  /// The engines of those that get chunks.
  int Engines() const override;

 private:
  struct Call;
  struct Sending;
  struct Verdict;
  using CallPtr = std::shared_ptr<Call>;
  using Result = absl::StatusOr<wire::InferenceResult>;
  using Timers = std::multimap<common::TimePoint, CallPtr>;

  /// What an answer says of the replica that gave it.
  enum class Fate { kSucceeded, kFailed, kLate, kFull, kNeutral };
  static Fate FateOf(const absl::Status& status, bool timed);

  Sending Begin(const CallPtr& call, const Balancer::Assignment& assignment, common::TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Verdict Settle(const CallPtr& call, Result result, common::TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Count(Fate fate, bool ejected, Member& member) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Late(const Member& member) const;
  void ShowTokens(Member& member) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ShowSize() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // What calls a replica or gives an answer.
  void Send(const Sending& sending) ABSL_LOCKS_EXCLUDED(mutex_);
  void Receive(const Sending& sending, Result result) ABSL_LOCKS_EXCLUDED(mutex_);
  void Carry(Verdict verdict) ABSL_LOCKS_EXCLUDED(mutex_);
  void Poll() ABSL_LOCKS_EXCLUDED(mutex_);
  void TimeOut() ABSL_LOCKS_EXCLUDED(mutex_);

  const ReplicaSetOptions options_;
  const ReplicaFactory factory_;
  common::Metrics& metrics_;
  std::atomic<const wire::ModelInfo*> info_{nullptr};  ///< The roster's.
  std::atomic<int> serving_{0};
  std::atomic<int> live_engines_{0};

  mutable common::Mutex mutex_;
  Balancer balancer_ ABSL_GUARDED_BY(mutex_);
  Roster roster_ ABSL_GUARDED_BY(mutex_);
  Timers timers_ ABSL_GUARDED_BY(mutex_);  ///< An entry for each call under way.
};

}  // namespace ivy
