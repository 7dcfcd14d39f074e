#include "bench/http_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <string>

#include "bench/served_target.h"

namespace bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Request TwoInputs() { return {.ids = {{1, 2}, {3}}, .tokens = {2, 1}}; }

TEST(HttpTarget, GivesTheVectorsOfAnAnswer) {
  const ServedTarget served(
      HttpAnswer(200, R"({"data":[{"embedding":"AACAPwAAAMA="},{"embedding":"AAAAPwAAAAA="}]})"));
  const auto vectors = served.target->Embed(TwoInputs());
  ASSERT_TRUE(vectors.ok()) << vectors.status();
  EXPECT_THAT(*vectors, ElementsAre(ElementsAre(1, -2), ElementsAre(0.5F, 0)));
}

TEST(HttpTarget, SaysWhatIsNoVector) {
  const struct {
    std::string answer;
    const char* cause;
  } kCases[] = {
      {HttpAnswer(404, "no such model"), "status 404: no such model"},
      {HttpAnswer(200, "{"), "no answer of /v1/embeddings"},
      {HttpAnswer(200, "{}"), "no answer of /v1/embeddings"},
      {HttpAnswer(200, R"({"data":[{"embedding":[1,2]}]})"), "no answer of /v1/embeddings"},
      {HttpAnswer(200, R"({"data":[{"embedding":"AAA="}]})"), "expected float32 values"},
      {HttpAnswer(200, R"({"data":[{"embedding":"?"}]})"), "expected float32 values"},
  };
  for (const auto& c : kCases) {
    const ServedTarget served(c.answer);
    EXPECT_THAT(std::string(served.target->Embed(TwoInputs()).status().message()),
                HasSubstr(c.cause));
  }
}

/// Listens, and for each connection reads a request, answers and hangs up.
class HangingUpServer {
 public:
  HangingUpServer() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~HangingUpServer() { close(listener_); }

  int port() const { return port_; }

  /// The next connection from its beginning to its end, on a thread of its own.
  std::future<void> ServeOne() {
    return std::async(std::launch::async, [this] {
      const std::string answer = HttpAnswer(200, NullEmbeddings(2, 3));
      char request[4096];
      const int connection = accept(listener_, nullptr, nullptr);
      EXPECT_GT(recv(connection, request, sizeof(request), 0), 0);
      EXPECT_EQ(send(connection, answer.data(), answer.size(), 0),
                static_cast<ssize_t>(answer.size()));
      close(connection);
    });
  }

 private:
  const int listener_;
  int port_ = 0;
};

TEST(HttpTarget, ConnectsAnewWhereTheServerDidNotWaitForAnotherRequest) {
  HangingUpServer server;
  HttpTarget target({.host = "127.0.0.1", .port = server.port()});
  std::future<void> served = server.ServeOne();
  const auto client = target.Connect({TwoInputs()});
  ASSERT_TRUE(client.ok()) << client.status();
  for (int i = 0; i < 3; ++i) {
    const auto answer = (*client)->Send(0);
    ASSERT_TRUE(answer.ok()) << answer.status();
    served.wait();
    if (i < 2) served = server.ServeOne();
  }
}

TEST(HttpTarget, HasANullTarget) {
  const HttpTarget target({.host = "127.0.0.1", .port = 1});
  const auto null = target.MakeNull(2, 3);
  ASSERT_TRUE(null.ok()) << null.status();
  const auto client = (*null)->Connect({TwoInputs()});
  ASSERT_TRUE(client.ok()) << client.status();
  const auto answer = (*client)->Send(0);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->rows, 2);
  EXPECT_EQ(answer->dimensions, 3);
}

}  // namespace
}  // namespace bench
