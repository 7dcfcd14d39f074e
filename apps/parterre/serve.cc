#include "serve.h"

#include <chrono>
#include <csignal>

#include "common/log.h"
#include "stack.h"

namespace {

/// SIGTERM and SIGINT, taken by this thread alone. Made before any other thread, which inherit the
/// mask; SIGPIPE is ignored, since a client may leave at any time.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    signal(SIGPIPE, SIG_IGN);
  }
  void Wait() const {
    int signal = 0;
    sigwait(&set_, &signal);
  }
  /// True if another signal came within the time.
  bool WaitFor(std::chrono::milliseconds time) const {
    const timespec timeout = {.tv_sec = time.count() / 1000,
                              .tv_nsec = time.count() % 1000 * 1'000'000};
    return sigtimedwait(&set_, nullptr, &timeout) > 0;
  }

 private:
  sigset_t set_{};
};

}  // namespace

absl::Status SetUpLog(const ServeOptions& options) {
  const bool json = options.log_format == "json";
  return common::SetUpLog(json ? common::LogFormat::kJson : common::LogFormat::kText,
                          options.log_level);
}

absl::Status RunServe(const ServeOptions& options) {
  const Signals signals;
  RETURN_IF_ERROR(SetUpLog(options));
  ASSIGN_OR_RETURN(const std::unique_ptr<Stack> stack, Stack::Create(options));
  spdlog::info("listening on http://{}:{}", options.gateway.server.host, stack->port());

  signals.Wait();
  spdlog::info("draining for {} ms", options.drain.count());
  stack->BeginDrain();
  // A second signal cuts the drain short.
  signals.WaitFor(options.drain);
  stack->Shutdown(common::Clock::Steady().Now() + options.shutdown_timeout);
  spdlog::info("stopped");
  return absl::OkStatus();
}
