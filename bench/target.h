#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/workload.h"
#include "common/clock.h"
#include "common/status.h"

namespace bench {

/// What came of one request.
struct Answer {
  common::Duration took{};  ///< From when it began to be sent until its answer was there whole.
  int rows = 0;
  int dimensions = 0;  ///< Of every row.
  int64_t tokens = 0;  ///< That the answer counts; 0: it counts none.
};

/// A client of a target. What can be done before the clock starts has been done: its requests are
/// encoded, it is connected. One thread at a time.
class Client {
 public:
  virtual ~Client() = default;

  /// Sends one of its requests and waits for the answer. An error is a request that was not
  /// answered as asked for; after it the client is of no more use.
  virtual absl::StatusOr<Answer> Send(std::size_t index) = 0;
};

using Vectors = std::vector<std::vector<float>>;

/// What is measured. Any thread.
class Target {
 public:
  virtual ~Target() = default;

  /// A client with a way of its own to the target, and with these requests.
  virtual absl::StatusOr<std::unique_ptr<Client>> Connect(const std::vector<Request>& requests) = 0;

  /// The vectors of a request's inputs, for comparison: it takes its time.
  virtual absl::StatusOr<Vectors> Embed(const Request& request) = 0;

  /// What takes requests the same way and does nothing but answer `rows` vectors: a run against it
  /// measures the load generator.
  virtual absl::StatusOr<std::unique_ptr<Target>> MakeNull(int rows, int dimensions) const = 0;
};

}  // namespace bench
