#include "ivy/net/io_loop.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <stdexcept>

namespace ivy {
namespace {

/// A loop that sleeps when it waits, and one that spins all the time.
class IoLoopTest : public ::testing::TestWithParam<common::Duration> {
 protected:
  /// Posts work and waits until it has run.
  void Run() {
    std::promise<void> ran;
    boost::asio::post(loop_.context, [&] { ran.set_value(); });
    ran.get_future().wait();
  }

  int recovered_ = 0;  ///< The loop's thread's.
  IoLoop loop_{GetParam(), [this] { ++recovered_; }};
};

INSTANTIATE_TEST_SUITE_P(Spin, IoLoopTest,
                         ::testing::Values(common::Duration::zero(), std::chrono::microseconds(20),
                                           std::chrono::hours(1)));

TEST_P(IoLoopTest, RunsWhatIsPostedAndEndsWhenItIsStopped) {
  for (int i = 0; i < 1000; ++i) Run();
  loop_.Stop();
}

TEST_P(IoLoopTest, AnExceptionEndsItsHandlerAlone) {
  for (int i = 0; i < 2; ++i) {
    boost::asio::post(loop_.context, [] { throw std::runtime_error("of a handler"); });
  }
  Run();
  EXPECT_EQ(recovered_, 2);
}

}  // namespace
}  // namespace ivy
