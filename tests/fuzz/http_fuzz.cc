#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/check.h"
#include "common/metrics.h"
#include "fuzz_input.h"
#include "http_reply.h"
#include "ivy/http/service.h"
#include "ivy/net/connection.h"

// Any bytes from a client to the real connection code, which then closes its sending side; the
// first byte says how many it sends at a time. The answers are well-formed HTTP/1.1, the same
// however the bytes come, and the connection ends at once, with nothing left of it.

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

std::shared_ptr<ivy::Service> MakeService() {
  static common::Metrics metrics;
  auto router = std::make_unique<ivy::Router>(metrics);
  router->Add({"/health"},
              {.open = true, .get = [](const std::shared_ptr<ivy::Exchange>& exchange) {
                 exchange->Answer({});
               }});
  router->Add({"/large"}, {.get = [](const std::shared_ptr<ivy::Exchange>& exchange) {
                ivy::Response response;
                response.body = '{' + std::string(50'000, ' ') + '}';
                exchange->Answer(std::move(response));
              }});
  const auto echo = [](ivy::Exchange& exchange) {
    ivy::Response response;
    response.body = "{" + exchange.request.query + "|" + exchange.request.body + "}";
    exchange.Answer(std::move(response));
  };
  router->Add({"/echo"}, {.post = [echo](const std::shared_ptr<ivy::Exchange>& exchange) {
                echo(*exchange);
              }});
  router->Add({"/later"}, {.dialect = ivy::Dialect::kTei,
                           .post = [echo](const std::shared_ptr<ivy::Exchange>& exchange) {
                             exchange->Post([echo, exchange] { echo(*exchange); });
                           }});
  return std::make_shared<ivy::Service>(
      ivy::ServiceOptions{.api_keys = ivy::ApiKeys::Create({.keys = {"key"}}).value()},
      std::move(router));
}

ivy::ConnectionContext MakeContext() {
  ivy::ConnectionLimits limits;
  limits.head_bytes_max = 2048;  // Small, so that inputs reach them.
  limits.body_bytes_max = 4096;
  return {.handler = MakeService(),
          .limits = limits,
          .bodies = std::make_shared<ivy::ByteBudget>(16 * 4096)};
}

/// A client at the other end of a socket, and the thread that serves it.
class Conversation {
 public:
  Conversation() {
    int ends[2];
    CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) << errno;
    client_ = ends[0];
    CHECK(::fcntl(client_, F_SETFL, O_NONBLOCK) == 0);
    static const ivy::ConnectionContext context = MakeContext();
    const auto lifetime = std::make_shared<int>();
    alive_ = lifetime;
    ivy::StartConnection(
        tcp::socket(loop_, tcp::v4(), ends[1]), context, /*tls=*/nullptr,
        {.ended = [this](ivy::Connection*) { ended_ = true; }, .lifetime = lifetime});
  }
  ~Conversation() { ::close(client_); }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void Send(std::string_view bytes) {
    while (!bytes.empty() && !ended_) {
      const ssize_t sent = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EPIPE) return;
      CHECK(sent > 0 || errno == EAGAIN) << errno;
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      Turn();
    }
  }

  /// All that was answered, once the client has nothing more to say.
  std::string Finish() {
    ::shutdown(client_, SHUT_WR);
    while (Turn() > 0) {
    }
    CHECK(ended_) << "the connection is still there";
    loop_.restart();
    loop_.poll();
    CHECK(alive_.expired()) << "something holds the connection";
    return received_;
  }

 private:
  /// Serves what can be served at once and reads what was answered; how much was done.
  std::size_t Turn() {
    loop_.restart();
    std::size_t done = loop_.poll();
    char bytes[65536];
    for (ssize_t read; (read = ::recv(client_, bytes, sizeof(bytes), 0)) > 0;) {
      received_.append(bytes, static_cast<std::size_t>(read));
      ++done;
    }
    return done;
  }

  asio::io_context loop_;
  int client_ = -1;
  std::weak_ptr<int> alive_;
  bool ended_ = false;
  std::string received_;
};

/// What is wrong with a head may be told in other words when it comes in pieces: more or less of it
/// is known by then, and of two faults (it is malformed, and too large) the other may be seen
/// first.
void ForgetWords(std::vector<HttpReply>& replies) {
  for (HttpReply& reply : replies) {
    if (reply.status != 400 && reply.status != 431) continue;
    reply = {.status = 400, .headers = {{"connection", reply.headers["connection"]}}, .body = {}};
  }
}

std::vector<HttpReply> Converse(std::string_view bytes, std::size_t piece) {
  Conversation conversation;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    conversation.Send(bytes.substr(at, piece));
  }
  std::vector<HttpReply> replies =
      ReadReplies(conversation.Finish(), bytes.find("HEAD ") != bytes.npos);
  ForgetWords(replies);
  return replies;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const std::size_t piece = 1 + input.Take<uint8_t>() % 64;
  const std::string_view bytes = input.rest();
  const std::vector<HttpReply> whole = Converse(bytes, bytes.size() + 1);
  const std::vector<HttpReply> pieces = Converse(bytes, piece);
  // Who is answered later may be found to have left before.
  if (bytes.find("/later") != bytes.npos) return 0;
  CHECK(whole.size() == pieces.size()) << whole.size() << " and " << pieces.size();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CHECK(whole[i] == pieces[i]) << "reply " << i << ": " << whole[i] << " and " << pieces[i];
  }
  return 0;
}
