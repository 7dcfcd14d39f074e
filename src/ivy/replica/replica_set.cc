#include "ivy/replica/replica_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/log.h"
#include "ivy/replica/replica_check.h"

namespace ivy {

using common::TimePoint;
using wire::InferenceRequest;

/// A chunk from Infer to its answer. What may change is guarded by the set's mutex.
struct ReplicaSet::Call {
  Call(InferenceRequest asked, Callback callback)
      : request(std::move(asked)), done(std::move(callback)) {}

  int64_t tokens() const { return static_cast<int64_t>(request.ids.size()); }

  const InferenceRequest request;
  const Callback done;
  int attempt = 0;  ///< 1, then perhaps 2; kOver once the answer is decided.
  Balancer::Assignment assignment;
  Timers::iterator timer;

  static constexpr int kOver = -1;
};

/// One attempt of a call, as the thread that makes it knows it.
struct ReplicaSet::Sending {
  CallPtr call;
  Member* member = nullptr;  ///< There while `uses` says so.
  int attempt = 0;
  TimePoint deadline;
};

/// What is to be done once the lock is given up: the chunk goes elsewhere, or its answer is given.
struct ReplicaSet::Verdict {
  CallPtr call;
  Result result;
  std::optional<Sending> again;
  std::string ejected;  ///< Address of the replica that has just been.
};

/// `timed`: the attempt had less time than the request has.
ReplicaSet::Fate ReplicaSet::FateOf(const absl::Status& status, bool timed) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return Fate::kSucceeded;
    case absl::StatusCode::kUnavailable:
      return Fate::kFailed;
    case absl::StatusCode::kResourceExhausted:
      return Fate::kFull;
    case absl::StatusCode::kDeadlineExceeded:
      return timed ? Fate::kLate : Fate::kNeutral;
    default:
      return Fate::kNeutral;
  }
}

namespace {

bool Cancelled(const InferenceRequest& request) {
  return request.cancel != nullptr && request.cancel->cancelled();
}

}  // namespace

ReplicaSet::ReplicaSet(ReplicaSetOptions options, ReplicaFactory factory, common::Metrics& metrics)
    : options_(std::move(options)),
      factory_(std::move(factory)),
      metrics_(metrics),
      balancer_(options_.balancer, std::mt19937_64(options_.seed)),
      roster_(options_.expected, balancer_) {}

ReplicaSet::~ReplicaSet() {
  Timers left;
  std::vector<std::unique_ptr<Member>> members;
  {
    const common::MutexLock lock(mutex_);
    left.swap(timers_);
    for (const auto& [deadline, call] : left) call->attempt = Call::kOver;
    members = roster_.TakeAll();
  }
  for (const auto& [deadline, call] : left) {
    call->done(absl::UnavailableError("the gateway is shutting down"));
  }
  // Ending a replica waits for its callbacks, which still come here.
  members.clear();
}

void ReplicaSet::SetAddresses(const std::vector<std::string>& addresses) {
  std::vector<std::string> joining;
  {
    const common::MutexLock lock(mutex_);
    joining = roster_.List(addresses);
    ShowSize();
  }
  for (const std::string& address : joining) {
    auto member = std::make_unique<Member>(factory_(address), metrics_, options_.model);
    const common::MutexLock lock(mutex_);
    roster_.Add(std::move(member));
  }
}

void ReplicaSet::Tick() {
  Poll();
  TimeOut();
  std::vector<std::unique_ptr<Member>> gone;
  {
    const common::MutexLock lock(mutex_);
    gone = roster_.TakeGone();
    ShowSize();
  }
}

const wire::ModelInfo& ReplicaSet::Info() const {
  const wire::ModelInfo* info = info_.load();
  return info != nullptr ? *info : options_.expected;
}

int ReplicaSet::Engines() const { return std::max(live_engines_.load(), 1); }

void ReplicaSet::Infer(InferenceRequest request, Callback done) {
  const auto call = std::make_shared<Call>(std::move(request), std::move(done));
  std::optional<Sending> sending;
  {
    const common::MutexLock lock(mutex_);
    const TimePoint now = options_.clock.Now();
    if (const auto assignment = balancer_.Assign(call->tokens(), now)) {
      sending = Begin(call, *assignment, now);
    }
  }
  if (sending) return Send(*sending);
  call->done(absl::UnavailableError(fmt::format("model {}: no replica serves it", options_.model)));
}

ReplicaSet::Sending ReplicaSet::Begin(const CallPtr& call, const Balancer::Assignment& assignment,
                                      TimePoint now) {
  Member& member = roster_.At(assignment.slot);
  member.uses += 2;  // this thread, and the answer
  member.counts.requests.Increment();
  ShowTokens(member);
  ++call->attempt;
  call->assignment = assignment;
  const TimePoint deadline = std::min(call->request.deadline, now + options_.chunk_timeout);
  call->timer = timers_.emplace(deadline, call);
  return {.call = call, .member = &member, .attempt = call->attempt, .deadline = deadline};
}

void ReplicaSet::Send(const Sending& sending) {
  InferenceRequest request = sending.call->request;
  // So the replica, too, gives up what nobody waits for any more.
  request.deadline = sending.deadline;
  request.attempt = sending.attempt;
  sending.member->replica->Infer(
      std::move(request), [this, sending](Result result) { Receive(sending, std::move(result)); });
  --sending.member->uses;
}

void ReplicaSet::Receive(const Sending& sending, Result result) {
  const CallPtr& call = sending.call;
  if (result.ok()) {
    absl::Status status = CheckAnswer(call->request, Info(), *result);
    if (!status.ok()) result = std::move(status);
  }
  std::optional<Verdict> verdict;
  {
    const common::MutexLock lock(mutex_);
    if (call->attempt == sending.attempt) {
      verdict = Settle(call, std::move(result), options_.clock.Now());
    }
  }
  --sending.member->uses;
  if (verdict) Carry(*std::move(verdict));
}

ReplicaSet::Verdict ReplicaSet::Settle(const CallPtr& call, Result result, TimePoint now) {
  Member& member = roster_.At(call->assignment.slot);
  const bool timed = call->timer->first < call->request.deadline;
  timers_.erase(call->timer);
  Verdict verdict;
  verdict.call = call;
  const Fate fate = FateOf(result.status(), timed);
  switch (fate) {
    case Fate::kSucceeded:
      balancer_.Succeed(call->assignment, result->load_tokens, now);
      break;
    case Fate::kFull:
      balancer_.Refuse(call->assignment, now);
      break;
    case Fate::kFailed:
    case Fate::kLate:
      if (balancer_.Fail(call->assignment, now)) verdict.ejected = member.replica->address();
      break;
    case Fate::kNeutral:
      balancer_.Drop(call->assignment);
      break;
  }
  Count(fate, !verdict.ejected.empty(), member);
  verdict.result = std::move(result);
  const bool elsewhere = fate != Fate::kSucceeded && fate != Fate::kNeutral;
  if (elsewhere && call->attempt == 1 && !Cancelled(call->request)) {
    const Balancer::Wish wish = {.except = call->assignment.slot, .room = fate == Fate::kFull};
    if (const auto assignment = balancer_.Assign(call->tokens(), now, wish)) {
      member.counts.retries.Increment();
      verdict.again = Begin(call, *assignment, now);
      return verdict;
    }
  }
  call->attempt = Call::kOver;
  if (fate == Fate::kLate) verdict.result = Late(member);
  return verdict;
}

void ReplicaSet::Count(Fate fate, bool ejected, Member& member) {
  if (fate == Fate::kFull) member.counts.refusals.Increment();
  if (fate == Fate::kFailed) member.counts.failures.Increment();
  if (fate == Fate::kLate) member.counts.timeouts.Increment();
  if (ejected) member.counts.ejections.Increment();
  ShowTokens(member);
}

absl::Status ReplicaSet::Late(const Member& member) const {
  using std::chrono::milliseconds;
  return absl::UnavailableError(
      fmt::format("replica {} did not answer within {} ms", member.replica->address(),
                  std::chrono::duration_cast<milliseconds>(options_.chunk_timeout).count()));
}

void ReplicaSet::Carry(Verdict verdict) {
  if (!verdict.ejected.empty()) {
    spdlog::warn("replica {} gets nothing for a while: {}", verdict.ejected,
                 verdict.result.status().ToString());
  }
  if (verdict.again) return Send(*verdict.again);
  verdict.call->done(std::move(verdict.result));
}

void ReplicaSet::Poll() {
  std::vector<Member*> members;
  {
    const common::MutexLock lock(mutex_);
    members = roster_.members();
  }
  for (Member* member : members) {
    member->replica->Tend();
    const std::shared_ptr<const wire::ModelInfo> info = member->replica->info();
    const bool serving = member->replica->serving();
    absl::Status status;
    bool was_up = false;
    bool is_up = false;
    {
      const common::MutexLock lock(mutex_);
      was_up = balancer_.state(member->slot) != Balancer::State::kDown;
      status = roster_.Observe(*member, info, serving);
      is_up = balancer_.state(member->slot) != Balancer::State::kDown;
      ShowSize();
    }
    const std::string& address = member->replica->address();
    if (is_up != was_up) spdlog::info("replica {} {}", address, is_up ? "serves" : "is down");
    if (!status.ok()) {
      spdlog::error("replica {} is not used: {}", address, std::string(status.message()));
    }
  }
}

void ReplicaSet::TimeOut() {
  std::vector<Verdict> verdicts;
  {
    const common::MutexLock lock(mutex_);
    const TimePoint now = options_.clock.Now();
    while (!timers_.empty() && timers_.begin()->first <= now) {
      const CallPtr call = timers_.begin()->second;
      verdicts.push_back(Settle(call, absl::DeadlineExceededError("no answer in time"), now));
    }
  }
  for (Verdict& verdict : verdicts) Carry(std::move(verdict));
}

void ReplicaSet::ShowTokens(Member& member) {
  member.counts.outstanding_tokens.Set(
      static_cast<double>(balancer_.outstanding_tokens(member.slot)));
}

void ReplicaSet::ShowSize() {
  info_ = roster_.info().get();
  serving_ = balancer_.serving();
  live_engines_ = balancer_.live_engines();
}

}  // namespace ivy
