#include "bench/simulate/policy.h"

#include <set>
#include <utility>

#include "common/check.h"

namespace bench {
namespace {

using Curve = std::vector<std::pair<int64_t, int64_t>>;

/// The product's.
class BalancerPolicy final : public Policy {
 public:
  BalancerPolicy(const ivy::BalancerOptions& options, bool blind, int replicas, const Curve& curve,
                 uint64_t seed)
      : blind_(blind), balancer_(options, std::mt19937_64(seed)) {
    for (int i = 0; i < replicas; ++i) balancer_.SetUp(balancer_.Add(), ivy::BatchCurve(curve));
  }

  Assignment Assign(int64_t tokens, TimePoint now) override {
    return *balancer_.Assign(tokens, now);
  }
  void Answered(const Assignment& assignment, int64_t load_tokens, TimePoint now) override {
    if (blind_) return balancer_.Drop(assignment);
    balancer_.Succeed(assignment, load_tokens, now);
  }

 private:
  const bool blind_;
  ivy::Balancer balancer_;
};

class LeastOutstanding final : public Policy {
 public:
  LeastOutstanding(int replicas, uint64_t seed)
      : random_(seed), tokens_(static_cast<std::size_t>(replicas)) {
    for (int i = 0; i < replicas; ++i) order_.insert({0, random_(), i});
    for (const Place& place : order_) places_[static_cast<std::size_t>(place.replica)] = place;
  }

  Assignment Assign(int64_t tokens, TimePoint now) override {
    const int replica = order_.begin()->replica;
    Change(replica, tokens);
    return {.slot = replica, .tokens = tokens, .sent = now};
  }
  void Answered(const Assignment& assignment, int64_t /*load_tokens*/, TimePoint) override {
    Change(assignment.slot, -assignment.tokens);
  }

 private:
  /// Equal ones stand in random order, new each time.
  struct Place {
    int64_t tokens;
    uint64_t tie;
    int replica;
    auto operator<=>(const Place&) const = default;
  };

  void Change(int replica, int64_t tokens) {
    const auto i = static_cast<std::size_t>(replica);
    order_.erase(places_[i]);
    tokens_[i] += tokens;
    places_[i] = {tokens_[i], random_(), replica};
    order_.insert(places_[i]);
  }

  std::mt19937_64 random_;
  std::vector<int64_t> tokens_;
  std::vector<Place> places_ = std::vector<Place>(tokens_.size());
  std::set<Place> order_;
};

class RoundRobin final : public Policy {
 public:
  RoundRobin(int replicas, uint64_t seed)
      : replicas_(replicas), next_(static_cast<int>(seed % static_cast<uint64_t>(replicas))) {}
  Assignment Assign(int64_t tokens, TimePoint now) override {
    next_ = (next_ + 1) % replicas_;
    return {.slot = next_, .tokens = tokens, .sent = now};
  }
  void Answered(const Assignment&, int64_t, TimePoint) override {}

 private:
  const int replicas_;
  int next_;
};

class Random final : public Policy {
 public:
  Random(int replicas, uint64_t seed) : replicas_(replicas), random_(seed) {}
  Assignment Assign(int64_t tokens, TimePoint now) override {
    const auto replica = static_cast<int>(random_() % static_cast<uint64_t>(replicas_));
    return {.slot = replica, .tokens = tokens, .sent = now};
  }
  void Answered(const Assignment&, int64_t, TimePoint) override {}

 private:
  const int replicas_;
  std::mt19937_64 random_;
};

}  // namespace

std::vector<std::string> PolicyNames() {
  return {"balancer", "two", "all", "blind", "least", "round-robin", "random"};
}

std::unique_ptr<Policy> MakePolicy(const std::string& name, int replicas, const Curve& curve,
                                   uint64_t seed) {
  const auto balancer = [&](const ivy::BalancerOptions& options, bool blind) {
    return std::make_unique<BalancerPolicy>(options, blind, replicas, curve, seed);
  };
  if (name == "balancer") return balancer({}, false);
  if (name == "two") return balancer({.choices = 2}, false);
  if (name == "all") return balancer({.choices = replicas}, false);
  if (name == "blind") return balancer({}, true);
  if (name == "least") return std::make_unique<LeastOutstanding>(replicas, seed);
  if (name == "round-robin") return std::make_unique<RoundRobin>(replicas, seed);
  CHECK(name == "random") << name;
  return std::make_unique<Random>(replicas, seed);
}

}  // namespace bench
