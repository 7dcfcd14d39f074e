#include "ivy/net/client_stream.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace ivy {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kPatience{20};

/// The begin of a record of TLS, of application data.
constexpr std::string_view kPartOfRecord("\x17\x03\x03\x00\x40part", 9);

/// Encrypts without certificates.
std::shared_ptr<ssl::context> AnonymousTls() {
  auto context = std::make_shared<ssl::context>(ssl::context::tlsv12);
  SSL_CTX_set_cipher_list(context->native_handle(), "AECDH:@SECLEVEL=0");
  return context;
}

/// Both ends of a connection, on the thread of the test.
class ClientStreamTest : public ::testing::Test {
 protected:
  ClientStreamTest() {
    tcp::acceptor acceptor(context_, {asio::ip::address_v4::loopback(), 0});
    client_.lowest_layer().connect(acceptor.local_endpoint());
    tcp::socket socket = acceptor.accept();
    server_end_ = socket.native_handle();
    stream_ = std::make_shared<ClientStream>(std::move(socket), limits_, tls_);
    stream_->Start(stream_);
  }

  /// What `step` ends with; nothing if it does not end.
  std::optional<bool> Run(asio::awaitable<bool> step) {
    Begin(std::move(step));
    return Finish();
  }
  void Begin(asio::awaitable<bool> step) {
    context_.restart();
    ended_.reset();
    asio::co_spawn(context_, std::move(step),
                   [this](const std::exception_ptr&, bool ended) { ended_ = ended; });
  }
  std::optional<bool> Finish() {
    context_.run_for(kPatience);
    return ended_;
  }

  void Encrypt() {
    client_.async_handshake(ssl::stream_base::client,
                            [](boost::system::error_code error) { EXPECT_FALSE(error) << error; });
    ASSERT_EQ(Run(stream_->Handshake()), true);
  }

  /// From the client, past its TLS. The loop of events knows of it: the next read completes as soon
  /// as it is begun.
  void SendRaw(std::string_view bytes) {
    asio::write(client_.next_layer(), asio::buffer(bytes));
    pollfd arrival = {.fd = server_end_, .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&arrival, 1, -1), 1);
    context_.restart();
    asio::post(context_, [] {});
    context_.poll();
  }

  ConnectionLimits limits_;
  const std::shared_ptr<ssl::context> tls_ = AnonymousTls();
  asio::io_context context_;
  ssl::stream<tcp::socket> client_{context_, *tls_};
  int server_end_ = -1;
  std::shared_ptr<ClientStream> stream_;
  std::optional<bool> ended_;
};

TEST_F(ClientStreamTest, AHandshakeHasALimit) {
  limits_.handshake_timeout = milliseconds(20);
  for (const std::string_view part : {"", "\x16\x03\x01"}) {
    if (!part.empty()) SendRaw(part);
    EXPECT_EQ(Run(stream_->Handshake()), false);
  }
}

TEST_F(ClientStreamTest, AWaitEndsThoughPartOfARecordHasCome) {
  Encrypt();
  SendRaw(kPartOfRecord);
  Begin(stream_->AwaitFirstByte());
  while (!stream_->idle()) context_.poll_one();
  stream_->CancelWait();
  EXPECT_EQ(Finish(), false);
}

TEST_F(ClientStreamTest, AWatchEndsThoughPartOfARecordHasCome) {
  Encrypt();
  SendRaw(kPartOfRecord);
  stream_->Watch([] { ADD_FAILURE() << "the client is there"; });
  stream_->CancelWatch();
  limits_.idle_timeout = milliseconds(20);
  EXPECT_EQ(Run(stream_->AwaitFirstByte()), false);
}

}  // namespace
}  // namespace ivy
