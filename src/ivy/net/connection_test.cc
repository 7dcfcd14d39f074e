#include "ivy/net/connection.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string_view>

namespace ivy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// A connection over TLS on the thread of the test, which never waits for a timer: what has not
/// ended when there is nothing left to do at once would take its time.
class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() {
    tcp::acceptor acceptor(loop_, {asio::ip::address_v4::loopback(), 0});
    client_.connect(acceptor.local_endpoint());
    connection_ =
        StartConnection(acceptor.accept(), context_, tls_,
                        {.ended = [this](Connection*) { ended_ = true; }, .lifetime = {}});
  }

  void Send(std::string_view bytes) { asio::write(client_, asio::buffer(bytes)); }

  const ConnectionContext context_ = {.handler = nullptr, .limits = {}, .bodies = nullptr};
  const std::shared_ptr<asio::ssl::context> tls_ =
      std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  asio::io_context loop_;
  tcp::socket client_{loop_};
  Connection* connection_ = nullptr;
  bool ended_ = false;
};

TEST_F(ConnectionTest, WhoHasNotBegunItsHandshakeIsNotWaitedFor) {
  connection_->Retire();
  loop_.poll();
  EXPECT_TRUE(ended_);
}

TEST_F(ConnectionTest, WhoIsInTheMidstOfItsHandshakeIsNotWaitedFor) {
  for (const std::string_view part : {"", "\x16\x03\x01"}) {
    if (!part.empty()) Send(part);
    loop_.poll();
    EXPECT_FALSE(ended_);
  }
  connection_->Retire();
  loop_.poll();
  EXPECT_TRUE(ended_);
}

/// It has been told, and is given time to read it.
TEST_F(ConnectionTest, WhoSpeaksPlainHttpIsNotWaitedForEither) {
  Send("GET / HTTP/1.1\r\n\r\n");
  loop_.poll();
  EXPECT_FALSE(ended_);
  connection_->Retire();
  loop_.poll();
  EXPECT_TRUE(ended_);
}

}  // namespace
}  // namespace ivy
