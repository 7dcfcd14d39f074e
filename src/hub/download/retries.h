#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "common/status.h"

namespace hub {

/// How often, and after how long, what failed is tried again: after half a second, then twice as
/// long each time, or as long as the server asks for.
class Retries {
 public:
  /// `attempts` in a row may fail, at least 1. `cancelled` may be empty.
  Retries(int attempts, std::function<bool()> cancelled);

  /// Waits until the next attempt is due. Returns `failure` itself, which is not OK, if it is not
  /// Unavailable, was the last that is allowed, or the server asks to wait for more than minutes.
  absl::Status Wait(const absl::Status& failure, std::optional<std::chrono::seconds> retry_after);
  /// Something arrived before the failure: count from anew.
  void Reset() { failures_ = 0; }

 private:
  int attempts_;
  std::function<bool()> cancelled_;
  int failures_ = 0;
};

/// Sleeps, or returns Cancelled as soon as `cancelled` (if there is one) says so.
absl::Status Sleep(std::chrono::milliseconds time, const std::function<bool()>& cancelled);

}  // namespace hub
