#include "ivy/replica/balancer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/check.h"

namespace ivy {
namespace {

using common::Duration;
using common::TimePoint;

/// A queue that was full is not asked again for so long.
constexpr Duration kFullTime = std::chrono::milliseconds(100);
/// What a single answer weighs in the slowness of its replica, and how far it may stand out: the
/// first step of a new size takes far longer than the next.
constexpr double kAnswerWeight = 0.1;
constexpr double kSlownessMax = 10;
/// Slowness up to here is taken for chance: small differences must not send all that comes to an
/// idle set to one replica, and keep the others from showing that they are as quick.
constexpr double kSlownessByChance = 3;
/// After so long without an answer, half of a replica's slowness is believed, and half of what
/// others had queued there; the latter no sooner than a share of the time that it takes to do.
constexpr Duration kSlownessHalfLife = std::chrono::seconds(10);
constexpr Duration kLoadHalfLife = std::chrono::milliseconds(10);
constexpr double kDrainShare = 0.1;

double Faded(Duration age, Duration half_life) {
  return std::exp2(-static_cast<double>(age.count()) / static_cast<double>(half_life.count()));
}

using Micros = std::chrono::duration<double, std::micro>;
double Microseconds(Duration duration) { return Micros(duration).count(); }
Duration ToDuration(double us) { return std::chrono::duration_cast<Duration>(Micros(us)); }

}  // namespace

Balancer::Balancer(const BalancerOptions& options, std::mt19937_64 random)
    : options_(options), random_(random) {
  CHECK(options.choices >= 1 && options.failures_to_eject >= 1);
}

Balancer::Slot Balancer::Add() {
  if (free_.empty()) {
    replicas_.emplace_back();
    return static_cast<Slot>(replicas_.size() - 1);
  }
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

void Balancer::Remove(Slot slot) {
  CHECK(At(slot).chunks == 0) << "a replica with work under way is not gone";
  SetDown(slot);
  At(slot) = Replica();
  free_.push_back(slot);
}

void Balancer::SetUp(Slot slot, BatchCurve curve, int engines) {
  CHECK(engines >= 1);
  Replica& replica = At(slot);
  if (replica.up && !replica.ejected) live_engines_ += engines - replica.engines;
  replica.curve = std::move(curve);
  replica.engines = engines;
  if (std::exchange(replica.up, true)) return;
  replica.others_tokens = 0;
  replica.full_until = {};
  if (replica.ejected) {
    ejected_.push_back(slot);
    next_return_ = std::min(next_return_, replica.ejected_until);
  } else {
    Enter(slot);
  }
}

void Balancer::SetDown(Slot slot) {
  Replica& replica = At(slot);
  if (!std::exchange(replica.up, false)) return;
  if (replica.ejected) {
    std::erase(ejected_, slot);
  } else {
    Leave(slot);
  }
}

std::optional<Balancer::Assignment> Balancer::Assign(int64_t tokens, TimePoint now,
                                                     const Wish& wish) {
  if (now >= next_return_) ReturnEjected(now);
  const Question question = {.tokens = tokens, .now = now, .except = wish.except};
  Slot slot = Choose(eligible_, question, Strictness::kRoom);
  if (slot == kNone && wish.room) return std::nullopt;
  if (slot == kNone) slot = Choose(eligible_, question, Strictness::kFull);
  if (slot == kNone) slot = Choose(eligible_, question, Strictness::kAny);
  if (slot == kNone) slot = Choose(ejected_, question, Strictness::kAny);
  if (slot == kNone) return std::nullopt;
  Replica& replica = At(slot);
  const Assignment assignment = {.slot = slot,
                                 .tokens = tokens,
                                 .sent = now,
                                 .expected_us = ExpectedMicroseconds(replica, tokens, now)};
  replica.tokens += tokens;
  ++replica.chunks;
  return assignment;
}

void Balancer::Succeed(const Assignment& assignment, int64_t load_tokens, TimePoint now) {
  TakeBack(assignment);
  Replica& replica = At(assignment.slot);
  const double time = Microseconds(now - assignment.sent) / std::max(assignment.expected_us, 1.0);
  const double slowness = Slowness(replica, now);
  replica.slowness =
      slowness + kAnswerWeight * (std::clamp(time, 1 / kSlownessMax, kSlownessMax) - slowness);
  replica.others_tokens = static_cast<double>(std::max<int64_t>(load_tokens - replica.tokens, 0));
  others_mean_ += kAnswerWeight * (replica.others_tokens - others_mean_);
  replica.heard = now;
  replica.full_until = {};
  replica.failures = 0;
  replica.probation = false;
  if (replica.ejections > 0 && now - replica.returned >= EjectionTime(replica)) {
    --replica.ejections;
    replica.returned = now;
  }
}

bool Balancer::Fail(const Assignment& assignment, TimePoint now) {
  TakeBack(assignment);
  Replica& replica = At(assignment.slot);
  ++replica.failures;
  const bool enough = replica.probation || replica.failures >= options_.failures_to_eject;
  if (!replica.up || replica.ejected || !enough || !MayEject()) return false;
  Eject(assignment.slot, now);
  return true;
}

void Balancer::Refuse(const Assignment& assignment, TimePoint now) {
  TakeBack(assignment);
  Replica& replica = At(assignment.slot);
  replica.full_until = now + kFullTime;
  replica.failures = 0;
  replica.probation = false;
}

Balancer::State Balancer::state(Slot slot) const {
  const Replica& replica = At(slot);
  if (!replica.up) return State::kDown;
  if (replica.ejected) return State::kEjected;
  return replica.probation ? State::kProbation : State::kLive;
}

/// What was told is soon worth less than what is usual: it fades into the mean of all replicas. One
/// that has not answered for a while is then neither shunned for an old queue nor mobbed as empty.
double Balancer::OthersTokens(const Replica& replica, TimePoint now) const {
  const double drain_us = replica.curve.Microseconds(replica.others_tokens / replica.engines);
  const Duration half_life = std::max(kLoadHalfLife, ToDuration(kDrainShare * drain_us));
  return std::round(others_mean_ +
                    (replica.others_tokens - others_mean_) * Faded(now - replica.heard, half_life));
}

double Balancer::Slowness(const Replica& replica, TimePoint now) const {
  return 1 + (replica.slowness - 1) * Faded(now - replica.heard, kSlownessHalfLife);
}

/// Its engines share what waits there; the chunk itself goes to one of them.
double Balancer::ExpectedMicroseconds(const Replica& replica, int64_t tokens, TimePoint now) const {
  const double waiting = static_cast<double>(replica.tokens) + OthersTokens(replica, now);
  return replica.curve.Microseconds(waiting / replica.engines + static_cast<double>(tokens));
}

void Balancer::TakeBack(const Assignment& assignment) {
  Replica& replica = At(assignment.slot);
  replica.tokens -= assignment.tokens;
  --replica.chunks;
  CHECK(replica.tokens >= 0 && replica.chunks >= 0) << "a chunk has ended twice";
}

void Balancer::Enter(Slot slot) {
  live_engines_ += At(slot).engines;
  At(slot).place = eligible_.size();
  eligible_.push_back(slot);
}

void Balancer::Leave(Slot slot) {
  live_engines_ -= At(slot).engines;
  const std::size_t place = At(slot).place;
  eligible_[place] = eligible_.back();
  At(eligible_[place]).place = place;
  eligible_.pop_back();
}

bool Balancer::MayEject() const {
  return static_cast<double>(ejected_.size() + 1) <= options_.ejected_share_max * serving();
}

void Balancer::Eject(Slot slot, TimePoint now) {
  Replica& replica = At(slot);
  Leave(slot);
  ejected_.push_back(slot);
  replica.ejected = true;
  ++replica.ejections;
  replica.ejected_until = now + EjectionTime(replica);
  next_return_ = std::min(next_return_, replica.ejected_until);
}

Duration Balancer::EjectionTime(const Replica& replica) const {
  Duration time = options_.ejection_min;
  for (int i = 1; i < replica.ejections && time < options_.ejection_max; ++i) time *= 2;
  return std::min(time, options_.ejection_max);
}

void Balancer::ReturnEjected(TimePoint now) {
  next_return_ = TimePoint::max();
  std::erase_if(ejected_, [&](Slot slot) {
    Replica& replica = At(slot);
    if (now < replica.ejected_until) {
      next_return_ = std::min(next_return_, replica.ejected_until);
      return false;
    }
    replica.ejected = false;
    replica.probation = true;
    replica.returned = now;
    Enter(slot);
    return true;
  });
}

/// The quickest of a few that are drawn. A draw takes the first that will do from a random place
/// on, so that none has to be listed.
Balancer::Slot Balancer::Choose(const std::vector<Slot>& among, const Question& question,
                                Strictness strictness) {
  Slot best = kNone;
  Slot drawn = kNone;
  double best_us = 0;
  const auto compare = [&](Slot slot) {
    const Replica& replica = At(slot);
    const double slowness = std::max(Slowness(replica, question.now) / kSlownessByChance, 1.0);
    const double us = slowness * ExpectedMicroseconds(replica, question.tokens, question.now);
    if (best != kNone && us >= best_us) return;
    best = slot;
    best_us = us;
  };
  const bool all = std::ssize(among) <= options_.choices;
  for (int draw = 0; draw < (all ? 1 : options_.choices) && !among.empty(); ++draw) {
    const std::size_t start = random_() % among.size();
    for (std::size_t step = 0; step < among.size(); ++step) {
      const Slot slot = among[(start + step) % among.size()];
      if (slot == drawn || !Takes(slot, question, strictness)) continue;
      compare(slot);
      if (all) continue;
      drawn = slot;
      break;
    }
  }
  return best;
}

bool Balancer::Takes(Slot slot, const Question& question, Strictness strictness) const {
  const Replica& replica = At(slot);
  if (slot == question.except) return false;
  if (strictness == Strictness::kAny) return true;
  if (replica.probation && replica.chunks > 0) return false;
  return strictness == Strictness::kFull || question.now >= replica.full_until;
}

}  // namespace ivy
