#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include "common/clock.h"
#include "common/mutex.h"
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

/// What a process that serves does when it is told to.
struct SignalHooks {
  std::function<void()> begin_drain;  ///< SIGTERM, SIGINT.
  std::function<void()> reload;       ///< SIGHUP.
};

/// SIGTERM, SIGINT and SIGHUP, taken by a thread of its own. Made before any other thread, which
/// inherit the mask; SIGPIPE is ignored, since a client may leave at any time.
///
/// While the process starts there is nothing to finish, and nobody looks up from what may take
/// minutes: the first signal to end it does so at once, with status 0; SIGHUP waits. Once it serves
/// they are AwaitStop's.
class Signals {
 public:
  Signals();
  ~Signals();

  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// The start is over. Called before the first request is let in.
  void BeginServing();

  /// Tells the service manager that the process serves; calls `reload` for each SIGHUP, for several
  /// at once perhaps once, until a signal to end; then `begin_drain`, and passes the drain's time,
  /// which a second one cuts short. A failure ends it as a signal does. Returns until when accepted
  /// requests may finish.
  common::TimePoint AwaitStop(const StopOptions& options, const SignalHooks& hooks);

  /// What cannot serve any more calls it with the cause, of which the first counts. On any thread,
  /// for as long as this is there; does not block.
  std::function<void(const absl::Status&)> failure_hook();
  /// Why AwaitStop ended, where it was no signal.
  absl::Status failure();

 private:
  enum class Stage { kStarting, kServing, kOver };

  void Run();

  sigset_t set_{};
  common::Mutex mutex_;
  common::ConditionVariable changed_;
  Stage stage_ ABSL_GUARDED_BY(mutex_) = Stage::kStarting;
  int taken_ ABSL_GUARDED_BY(mutex_) = 0;  ///< Those to end, while it serves.
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  bool hangup_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};
