#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/simulate/world.h"
#include "ivy/replica/balancer.h"

namespace bench {

/// How one gateway chooses among replicas 0 … n − 1 that all live.
class Policy {
 public:
  using Assignment = ivy::Balancer::Assignment;
  virtual ~Policy() = default;
  virtual Assignment Assign(int64_t tokens, TimePoint now) = 0;
  /// `load_tokens`: as the replica told with its answer.
  virtual void Answered(const Assignment& assignment, int64_t load_tokens, TimePoint now) = 0;
};

/// "balancer": the product's, as it stands. "two": the same, but two are compared; "all": the same,
/// but all are. "blind": the same, without what answers tell. "least": the fewest tokens of one's
/// own outstanding. "round-robin", "random".
std::vector<std::string> PolicyNames();

std::unique_ptr<Policy> MakePolicy(const std::string& name, int replicas,
                                   const std::vector<std::pair<int64_t, int64_t>>& curve,
                                   uint64_t seed);

}  // namespace bench
