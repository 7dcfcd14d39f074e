#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "bench/target.h"
#include "bench/workload.h"
#include "common/clock.h"
#include "common/status.h"

namespace bench {

/// A client at work: sends the requests of a workload in turn, checks each answer, and counts. One
/// thread at a time.
class Session {
 public:
  /// Makes the requests and connects.
  static absl::StatusOr<std::unique_ptr<Session>> Open(Target& target, const Workload& workload,
                                                       uint64_t seed);

  /// Sends and does not count; ends early once `most` has passed, but sends at least one.
  absl::Status WarmUp(int requests, common::Duration most);

  /// Sends the next request; returns how long it took. After WarmUp. An error is a request without
  /// answer, an answer with too few rows, of dimensions other than those of the warm-up, or that
  /// counts fewer tokens than were sent.
  absl::StatusOr<common::Duration> Measure();

  int dimensions() const { return dimensions_; }
  int64_t tokens() const { return tokens_; }          ///< As measured answers count them.
  std::map<int32_t, int64_t> InputsByTokens() const;  ///< Measured; empty where not known.

 private:
  Session(std::vector<Request> requests, std::unique_ptr<Client> client);

  std::size_t Next() { return next_++ % requests_.size(); }
  absl::StatusOr<Answer> Send(std::size_t index);

  const std::vector<Request> requests_;
  const std::unique_ptr<Client> client_;
  std::vector<int64_t> measured_;  ///< How often each request was.
  std::size_t next_ = 0;
  int dimensions_ = 0;
  int64_t tokens_ = 0;
};

}  // namespace bench
