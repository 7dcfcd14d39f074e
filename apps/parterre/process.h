#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <string>

#include "common/clock.h"
#include "common/status.h"

// What serving programs do around their work: the log, and an orderly end.

struct LogOptions {
  std::string format = "text";
  std::string level = "info";
};

/// Sets up the process's log. Before other threads start.
absl::Status SetUpLog(const LogOptions& options);

struct StopOptions {
  std::chrono::milliseconds drain{2'000};
  std::chrono::milliseconds shutdown_timeout{30'000};
};

/// SIGTERM and SIGINT, taken by this thread alone. Made before any other thread, which inherit the
/// mask; SIGPIPE is ignored, since a client may leave at any time.
class Signals {
 public:
  Signals();

  /// Tells the service manager that the process serves; waits for one, then calls `begin_drain` and
  /// passes the drain's time, which a second one cuts short. Returns until when accepted requests
  /// may finish.
  common::TimePoint AwaitStop(const StopOptions& options,
                              const std::function<void()>& begin_drain) const;

 private:
  sigset_t set_{};
};

/// Whether a signal waits to be taken: what takes long before that gives up. Any thread.
bool SignalWaits();
