#include "process.h"

#include "common/log.h"
#include "notify.h"

absl::Status SetUpLog(const LogOptions& options) {
  const bool json = options.format == "json";
  return common::SetUpLog(json ? common::LogFormat::kJson : common::LogFormat::kText,
                          options.level);
}

Signals::Signals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGTERM);
  sigaddset(&set_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

common::TimePoint Signals::AwaitStop(const StopOptions& options,
                                     const std::function<void()>& begin_drain) const {
  NotifyManager("READY=1");
  int signal = 0;
  sigwait(&set_, &signal);
  NotifyManager("STOPPING=1");
  const int64_t drain_ms = options.drain.count();
  spdlog::info("draining for {} ms", drain_ms);
  begin_drain();
  const timespec drain = {.tv_sec = drain_ms / 1000, .tv_nsec = drain_ms % 1000 * 1'000'000};
  sigtimedwait(&set_, nullptr, &drain);
  return common::Clock::Steady().Now() + options.shutdown_timeout;
}

bool SignalWaits() {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1;
}
