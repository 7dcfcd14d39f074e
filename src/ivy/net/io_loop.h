#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <exception>
#include <thread>

#include "common/clock.h"
#include "common/log.h"
#include "common/pause.h"

namespace ivy {

/// A thread that runs one io_context. An exception ends the handler that threw it, nothing else.
class IoLoop {
 public:
  /// `spin`: how long it spins for what comes next before it sleeps; 0: it does not.
  explicit IoLoop(common::Duration spin = {})
      : guard_(context.get_executor()), thread_([this, spin] { Run(spin); }) {}
  ~IoLoop() { Stop(); }

  /// Ends the thread; what waits in the context is dropped with it.
  void Stop() {
    context.stop();
    if (thread_.joinable()) thread_.join();
  }

  boost::asio::io_context context{1};

 private:
  void Run(common::Duration spin) {
    while (!context.stopped()) {
      try {
        spin == common::Duration::zero() ? context.run() : RunSpinning(spin);
      } catch (const std::exception& error) {
        spdlog::error("I/O thread: {}", error.what());
      }
    }
  }

  /// Sleeps until something comes, then spins until nothing has come for `spin`.
  std::size_t RunSpinning(common::Duration spin) {
    const common::Clock& clock = common::Clock::Steady();
    std::size_t handled = context.run_one();
    common::TimePoint asleep = clock.Now() + spin;
    while (!context.stopped() && clock.Now() < asleep) {
      const std::size_t ready = context.poll();
      handled += ready;
      if (ready > 0) {
        asleep = clock.Now() + spin;
      } else {
        common::Yield();
      }
    }
    return handled;
  }

  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::thread thread_;
};

}  // namespace ivy
