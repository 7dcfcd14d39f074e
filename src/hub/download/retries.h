#pragma once

#include <chrono>
#include <optional>

#include "common/status.h"

namespace hub {

/// How often, and after how long, what failed is tried again: after half a second, then twice as
/// long each time, or as long as the server asks for.
class Retries {
 public:
  /// `attempts` in a row may fail, at least 1.
  explicit Retries(int attempts) : attempts_(attempts) {}

  /// Waits until the next attempt is due. Returns `failure` itself, which is not OK, if it is not
  /// Unavailable, was the last that is allowed, or the server asks to wait for more than minutes.
  absl::Status Wait(const absl::Status& failure, std::optional<std::chrono::seconds> retry_after);
  /// Something arrived before the failure: count from anew.
  void Reset() { failures_ = 0; }

 private:
  int attempts_;
  int failures_ = 0;
};

}  // namespace hub
