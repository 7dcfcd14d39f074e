#include "process.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "common/log.h"
#include "notify.h"

namespace {

/// Other threads are in the midst of their work, so no destructor may run.
[[noreturn]] void EndAtOnce(int signal) {
  NotifyManager("STOPPING=1");
  spdlog::info("{} before there was anything to serve: stopped",
               signal == SIGTERM ? "SIGTERM" : "SIGINT");
  spdlog::default_logger_raw()->flush();
  _exit(EXIT_SUCCESS);
}

}  // namespace

absl::Status SetUpLog(const LogOptions& options) {
  const bool json = options.format == "json";
  return common::SetUpLog(json ? common::LogFormat::kJson : common::LogFormat::kText,
                          options.level);
}

Signals::Signals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGTERM);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread([this] { Run(); });
}

Signals::~Signals() {
  {
    const common::MutexLock lock(mutex_);
    stage_ = Stage::kOver;
  }
  pthread_kill(thread_.native_handle(), SIGINT);  // Blocked as well: it ends a wait, nothing else.
  thread_.join();
}

void Signals::BeginServing() {
  const common::MutexLock lock(mutex_);
  stage_ = Stage::kServing;
}

common::TimePoint Signals::AwaitStop(const StopOptions& options, const SignalHooks& hooks) {
  NotifyManager("READY=1");
  common::MutexLock lock(mutex_);
  while (taken_ == 0 && failure_.ok()) {
    if (std::exchange(hangup_, false)) {
      lock.Unlock();
      hooks.reload();
      lock.Lock();
    } else {
      changed_.Wait(lock);
    }
  }
  const absl::Status failure = failure_;
  lock.Unlock();
  NotifyManager("STOPPING=1");
  if (!failure.ok()) {
    spdlog::critical("{}; the process drains and ends", std::string(failure.message()));
  }
  spdlog::info("draining for {} ms", options.drain.count());
  hooks.begin_drain();
  lock.Lock();
  const common::TimePoint drained = common::Clock::Steady().Now() + options.drain;
  while (taken_ < 2 && changed_.WaitUntil(lock, drained)) continue;
  return common::Clock::Steady().Now() + options.shutdown_timeout;
}

std::function<void(const absl::Status&)> Signals::failure_hook() {
  return [this](const absl::Status& cause) {
    const common::MutexLock lock(mutex_);
    failure_.Update(cause);
    changed_.NotifyAll();
  };
}

absl::Status Signals::failure() {
  const common::MutexLock lock(mutex_);
  return failure_;
}

void Signals::Run() {
  while (true) {
    int signal = 0;
    sigwait(&set_, &signal);
    const common::MutexLock lock(mutex_);
    if (stage_ == Stage::kOver) return;
    if (signal == SIGHUP) {
      hangup_ = true;
    } else {
      if (stage_ == Stage::kStarting) EndAtOnce(signal);
      ++taken_;
    }
    changed_.NotifyAll();
  }
}
