#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <thread>

#include "common/clock.h"

namespace ivy {

/// A thread that runs one io_context. An exception ends the handler that threw it, nothing else.
class IoLoop {
 public:
  /// `spin`: how long it spins for what comes next before it sleeps; 0: it does not. `recover`: on
  /// its thread, after each such exception, itself without any.
  explicit IoLoop(common::Duration spin = {}, std::function<void()> recover = nullptr);
  ~IoLoop() { Stop(); }

  /// Ends the thread; what waits in the context is dropped with it. Not from the thread itself.
  void Stop();

  boost::asio::io_context context{1};

 private:
  void Run();
  void RunSpinning();

  const common::Duration spin_;
  const std::function<void()> recover_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::thread thread_;
};

}  // namespace ivy
