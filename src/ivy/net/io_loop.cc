#include "ivy/net/io_loop.h"

#include <exception>
#include <utility>

#include "common/log.h"
#include "common/pause.h"

namespace ivy {

IoLoop::IoLoop(common::Duration spin, std::function<void()> recover)
    : spin_(spin),
      recover_(std::move(recover)),
      guard_(context.get_executor()),
      thread_([this] { Run(); }) {}

void IoLoop::Stop() {
  context.stop();
  if (thread_.joinable()) thread_.join();
}

void IoLoop::Run() {
  while (!context.stopped()) {
    try {
      if (spin_ > common::Duration::zero()) {
        RunSpinning();
      } else {
        context.run();
      }
    } catch (const std::exception& error) {
      spdlog::error("I/O thread: {}", error.what());
      if (recover_) recover_();
    }
  }
}

/// Sleeps until something comes, then spins until nothing has come for a while.
void IoLoop::RunSpinning() {
  const common::Clock& clock = common::Clock::Steady();
  context.run_one();
  common::TimePoint asleep = clock.Now() + spin_;
  while (!context.stopped() && clock.Now() < asleep) {
    if (context.poll() > 0) {
      asleep = clock.Now() + spin_;
    } else {
      common::Yield();
    }
  }
}

}  // namespace ivy
