#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "common/clock.h"
#include "ivy/replica/batch_curve.h"

namespace ivy {

struct BalancerOptions {
  int choices = 16;  ///< Replicas that are compared for a chunk; all, where they are fewer.
  int failures_to_eject = 3;  ///< One after the other.
  /// An ejection lasts the first; each further one twice as long, up to the second.
  common::Duration ejection_min = std::chrono::seconds(1);
  common::Duration ejection_max = std::chrono::seconds(60);
  /// Of those that serve; more are not ejected, since all failing at once is rarely their fault.
  double ejected_share_max = 0.5;
};

/// Decides which replica gets a chunk: of some that are drawn at random, the one that would be done
/// with it first. That is told by the tokens that this gateway has outstanding there, those that
/// others have by its last answer, the engines that share them, its own measured curve, and how
/// much longer than that its answers take (docs/decisions/017-the-best-of-sixteen-replicas.md).
/// Pure logic on a clock that the caller reads; one thread at a time.
class Balancer {
 public:
  using Slot = int;  ///< A replica's name here, free for another once it is removed.
  static constexpr Slot kNone = -1;

  enum class State {
    kDown,  ///< Does not serve.
    kLive,
    kEjected,    ///< Has failed too often; gets nothing for a while.
    kProbation,  ///< Back from that: one chunk at a time until one succeeds.
  };

  /// A chunk under way at a replica: the caller ends each exactly once, by Succeed, Fail, Refuse or
  /// Drop.
  struct Assignment {
    Slot slot = kNone;
    int64_t tokens = 0;
    common::TimePoint sent;
    double expected_us = 0;
  };
  struct Wish {
    Slot except = kNone;
    bool room = false;  ///< None that has just refused a chunk for its full queue.
  };

  Balancer(const BalancerOptions& options, std::mt19937_64 random);

  /// A replica that is down.
  Slot Add();
  /// It has nothing under way.
  void Remove(Slot slot);
  /// It serves, each of its engines at the speed of `curve`.
  void SetUp(Slot slot, BatchCurve curve, int engines = 1);
  /// It gets nothing more; what it has under way may still end.
  void SetDown(Slot slot);

  /// The replica for a chunk, counted as sent there; nullopt: there is none.
  std::optional<Assignment> Assign(int64_t tokens, common::TimePoint now, const Wish& wish);
  std::optional<Assignment> Assign(int64_t tokens, common::TimePoint now) {
    return Assign(tokens, now, {});
  }

  /// `load_tokens`: what then waited or ran there, of this and other gateways.
  void Succeed(const Assignment& assignment, int64_t load_tokens, common::TimePoint now);
  /// Broken off, or no answer in time. True: it is ejected for it.
  bool Fail(const Assignment& assignment, common::TimePoint now);
  /// Its queue is full.
  void Refuse(const Assignment& assignment, common::TimePoint now);
  /// Ended in a way that says nothing of the replica.
  void Drop(const Assignment& assignment) { TakeBack(assignment); }

  State state(Slot slot) const;
  int64_t outstanding_tokens(Slot slot) const { return At(slot).tokens; }
  /// How many replicas serve, the ejected ones among them.
  int serving() const { return static_cast<int>(eligible_.size() + ejected_.size()); }
  /// How many engines those have that get chunks.
  int live_engines() const { return live_engines_; }

 private:
  enum class Strictness { kRoom, kFull, kAny };
  struct Question {
    int64_t tokens = 0;
    common::TimePoint now;
    Slot except = kNone;
  };

  struct Replica {
    bool up = false;
    bool ejected = false;
    bool probation = false;
    std::size_t place = 0;  ///< In eligible_.
    BatchCurve curve;
    int engines = 1;

    int64_t tokens = 0;  ///< Sent by this gateway and not yet ended.
    int chunks = 0;
    double others_tokens = 0;  ///< Of other gateways, at `heard`.
    double slowness = 1;       ///< Time of an answer ÷ what the curve had promised; at `heard`.
    common::TimePoint heard;
    common::TimePoint full_until;

    int failures = 0;   ///< Since the last success.
    int ejections = 0;  ///< That are not yet forgiven.
    common::TimePoint ejected_until;
    common::TimePoint returned;
  };

  const Replica& At(Slot slot) const { return replicas_[static_cast<std::size_t>(slot)]; }
  Replica& At(Slot slot) { return replicas_[static_cast<std::size_t>(slot)]; }
  double OthersTokens(const Replica& replica, common::TimePoint now) const;
  double Slowness(const Replica& replica, common::TimePoint now) const;
  double ExpectedMicroseconds(const Replica& replica, int64_t tokens, common::TimePoint now) const;

  void TakeBack(const Assignment& assignment);
  void Enter(Slot slot);
  void Leave(Slot slot);
  bool MayEject() const;
  void Eject(Slot slot, common::TimePoint now);
  common::Duration EjectionTime(const Replica& replica) const;
  void ReturnEjected(common::TimePoint now);

  Slot Choose(const std::vector<Slot>& among, const Question& question, Strictness strictness);
  bool Takes(Slot slot, const Question& question, Strictness strictness) const;

  const BalancerOptions options_;
  std::mt19937_64 random_;
  double others_mean_ = 0;         ///< Of what answers tell of others' tokens, of all replicas.
  std::vector<Replica> replicas_;  ///< By slot.
  std::vector<Slot> free_;
  std::vector<Slot> eligible_;  ///< Up and not ejected, in no order.
  int live_engines_ = 0;        ///< Of those.
  std::vector<Slot> ejected_;   ///< Up all the same.
  common::TimePoint next_return_ = common::TimePoint::max();
};

}  // namespace ivy
