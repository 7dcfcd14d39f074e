#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

#include "common/clock.h"

namespace ivy {

/// A thread that runs one io_context. An exception ends the handler that threw it, nothing else.
class IoLoop {
 public:
  /// `spin`: how long it spins for what comes next before it sleeps; 0: it does not.
  explicit IoLoop(common::Duration spin = {});
  ~IoLoop() { Stop(); }

  /// Ends the thread; what waits in the context is dropped with it. Not from the thread itself.
  void Stop();

  boost::asio::io_context context{1};

 private:
  void Run();
  void RunSpinning();

  const common::Duration spin_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::thread thread_;
};

}  // namespace ivy
