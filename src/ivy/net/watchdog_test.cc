#include "ivy/net/watchdog.h"

#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace ivy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

TEST(Watchdog, EndsAnOperationWhoseStepIsCompleteWhenTheLimitPasses) {
  asio::io_context context;
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  tcp::socket client(context);
  client.connect(acceptor.local_endpoint());
  tcp::socket socket = acceptor.accept();
  // While there are bytes, each read is complete as soon as it is begun: the first times, there is
  // nothing to cancel.
  asio::write(client, asio::buffer(std::string(1000, 'x')));

  const auto owner = std::make_shared<int>();
  Watchdog watchdog(socket);
  int bytes = 0;
  char byte = 0;
  error_code end;
  std::function<void()> read = [&] {
    socket.async_read_some(asio::buffer(&byte, 1), [&](error_code error, std::size_t) {
      if (error) {
        end = error;
        return watchdog.Disarm();
      }
      ++bytes;
      read();
    });
  };
  watchdog.Arm(std::chrono::milliseconds::zero(), owner);
  read();
  context.run_for(std::chrono::seconds(20));
  EXPECT_EQ(end, asio::error::operation_aborted);
  EXPECT_EQ(bytes, 1000);
  EXPECT_TRUE(watchdog.fired());
  EXPECT_EQ(owner.use_count(), 1);
}

}  // namespace
}  // namespace ivy
