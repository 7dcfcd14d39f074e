#include <gmock/gmock.h>
#include <poll.h>

#include <nlohmann/json.hpp>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kBody[] = R"({"inputs":"hello"})";

class Http : public GatewayTest {
 protected:
  void SetUp() override {
    options.server.limits.body_bytes_max = 100'000;
    options.server.limits.head_timeout = options.server.limits.body_timeout = milliseconds(300);
    options.server.limits.idle_timeout = milliseconds(300);
  }
  std::string Right() { return Ask(Post("/embed", kBody)).body; }
};

TEST_F(Http, ConnectionIsKept) {
  Start();
  TestClient client(gateway->port());
  for (int i = 0; i < 3; ++i) {
    client.Send(Post("/embed", kBody));
    const Reply reply = client.Read();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.headers.at("connection"), "keep-alive");
    EXPECT_EQ(reply.headers.at("content-type"), "application/json");
    EXPECT_TRUE(reply.headers.contains("date"));
  }
}

TEST_F(Http, PipelinedRequestsAreAnsweredInOrder) {
  Start();
  std::string bytes;
  for (int i = 0; i < 20; ++i) {
    bytes += Post("/embed", i % 2 == 0 ? R"({"inputs":"even","dimensions":1,"normalize":false})"
                                       : R"({"inputs":"odd","dimensions":2,"normalize":false})");
  }
  TestClient client(gateway->port());
  client.Send(bytes);
  for (int i = 0; i < 20; ++i) {
    const Reply reply = client.Read();
    ASSERT_EQ(reply.status, 200);
    EXPECT_EQ(json::parse(reply.body)[0].size(), i % 2 == 0 ? 1U : 2U) << i;
  }
}

TEST_F(Http, BytesMayComeOneByOne) {
  options.server.limits.head_timeout = options.server.limits.body_timeout = milliseconds(20'000);
  Start();
  TestClient client(gateway->port());
  for (const char c : Post("/embed", kBody)) ASSERT_TRUE(client.Send(std::string(1, c)));
  EXPECT_EQ(client.Read().body, Right());
}

TEST_F(Http, ChunkedBody) {
  Start();
  TestClient client(gateway->port());
  client.Send("POST /embed HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  client.Send("9\r\n{\"inputs\"\r\n3;ext=1\r\n:\"h\r\n6\r\nello\"}\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_EQ(client.Read().body, Right());
  client.Send(Get("/health"));
  EXPECT_EQ(client.Read().status, 200);
}

TEST_F(Http, ChunkFramingIsBoundedThoughItIsNoBody) {
  Start();
  const std::string much(100'000, 'x');
  for (const std::string& framing : {"1;" + much, "1\r\n \r\n0\r\nTrailer: " + much}) {
    TestClient client(gateway->port());
    client.Send("POST /embed HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + framing);
    const Reply reply = client.Read();
    EXPECT_EQ(reply.status, 400);
    EXPECT_THAT(reply.body, HasSubstr("trailers of at most 65536 bytes"));
    EXPECT_TRUE(client.AtEnd());
  }
}

TEST_F(Http, ExpectContinueIsAnsweredBeforeTheBody) {
  Start();
  TestClient client(gateway->port());
  client.Send(
      "POST /embed HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 18\r\n\r\n");
  EXPECT_EQ(client.Read().status, 100);
  client.Send(kBody);
  EXPECT_EQ(client.Read().body, Right());
}

TEST_F(Http, Bug55_BodyAboveTheLimitIs413InTheRoutesShape) {
  Start();
  const std::string large(200'000, ' ');
  for (const char* path : {"/embed", "/v1/embeddings"}) {
    TestClient client(gateway->port());
    client.Send(Post(path, large));
    const Reply reply = client.Read();
    EXPECT_EQ(reply.status, 413) << path;
    EXPECT_TRUE(json::parse(reply.body).contains("error"));
    EXPECT_THAT(reply.body, HasSubstr("expected at most 100000 bytes"));
    EXPECT_EQ(reply.headers.at("connection"), "close");
    EXPECT_TRUE(client.AtEnd());
  }
  TestClient chunked(gateway->port());
  chunked.Send("POST /embed HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n30D40\r\n");
  chunked.Send(large);
  EXPECT_EQ(chunked.Read().status, 413);
  TestClient asking(gateway->port());
  asking.Send(
      "POST /embed HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 200000\r\n\r\n");
  EXPECT_EQ(asking.Read().status, 413);
  std::string fits = R"({"inputs":"hello"})";
  fits.resize(100'000, ' ');
  EXPECT_EQ(Ask(Post("/embed", fits)).status, 200);
}

TEST_F(Http, BodyCutOff) {
  Start();
  TestClient client(gateway->port());
  client.Send("POST /embed HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"inputs\"");
  client.CloseSending();
  const Reply reply = client.Read();
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("body after 9 bytes: cut off"));
  EXPECT_TRUE(client.AtEnd());
}

TEST_F(Http, SlowClientsAreTold408) {
  Start();
  TestClient head(gateway->port()), body(gateway->port()), idle(gateway->port());
  head.Send("POST /embed HTTP/1.1\r\nHo");
  body.Send("POST /embed HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_EQ(head.Read().status, 408);
  EXPECT_EQ(body.Read().status, 408);
  EXPECT_TRUE(head.AtEnd());
  EXPECT_TRUE(body.AtEnd());
  EXPECT_TRUE(idle.AtEnd());  // closed without a word
}

TEST_F(Http, Bug64_SlowReaderIsCutOff) {
  options.server.limits.body_bytes_max = std::size_t{32} << 20;
  options.server.limits.write_timeout = milliseconds(200);
  options.api.limits.items_max = options.api.runner.inputs_in_flight_max = 100'000;
  options.server.limits.body_timeout = options.server.limits.head_timeout = milliseconds(20'000);
  model.client.info().dimension = 64;
  Start();
  json texts = json::array();
  for (int i = 0; i < 30'000; ++i) texts.push_back("x");
  TestClient client(gateway->port());
  const int small = 4096;
  ::setsockopt(client.socket(), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
  client.Send(Post("/embed", json{{"inputs", texts}}.dump()));
  gateway->StopAccepting();
  // Nobody reads the twenty megabytes; the connection ends all the same.
  EXPECT_TRUE(gateway->Wait(common::Clock::Steady().Now() + std::chrono::seconds(60)));
}

TEST_F(Http, MalformedHeadsAreRefusedAndTheConnectionCloses) {
  Start();
  const std::pair<std::string, int> cases[] = {
      {"nonsense\r\n\r\n", 400},
      {"GET /health HTTP/9.9\r\nHost: x\r\n\r\n", 400},
      {"GET /health HTTP/1.1\r\n\r\n", 400},
      {"GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
      {"GET /health HTTP/1.1\r\nHost x\r\n\r\n", 400},
      {"POST /embed HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", 400},
      {"POST /embed HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400},
      {"POST /embed HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"POST /embed HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"POST /embed HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n\r\n", 501},
      {"POST /embed HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"POST /embed HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"POST /embed HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 1\r\n\r\n", 501},
      {"GET /health HTTP/1.1\r\nHost: x\r\nBomb: " + std::string(20'000, 'x') + "\r\n\r\n", 431},
  };
  for (const auto& [bytes, status] : cases) {
    TestClient client(gateway->port());
    client.Send(bytes);
    const Reply reply = client.Read();
    EXPECT_EQ(reply.status, status) << bytes.substr(0, 120);
    EXPECT_TRUE(json::parse(reply.body).contains("error"));
    EXPECT_TRUE(client.AtEnd());
  }
}

TEST_F(Http, Http10AndConnectionClose) {
  Start();
  TestClient old(gateway->port());
  old.Send("GET /health HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.Read().headers.at("connection"), "close");
  EXPECT_TRUE(old.AtEnd());
  TestClient closing(gateway->port());
  closing.Send(Get("/health", "Connection: close\r\n"));
  EXPECT_EQ(closing.Read().status, 200);
  EXPECT_TRUE(closing.AtEnd());
}

TEST_F(Http, RoutesMethodsAndAliases) {
  Start();
  for (const char* path : {"/health", "/health/", "/", "/ping", "/health?x=1", "http://h/health"}) {
    const Reply reply = Ask(Get(path));
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_EQ(reply.body, "") << path;
  }
  EXPECT_EQ(Ask(Post("/embed/", kBody)).status, 200);
  EXPECT_EQ(Ask(Post("/embeddings", R"({"input":"a"})")).status, 200);
  const Reply missing = Ask(Post("/nope", kBody));
  EXPECT_EQ(missing.status, 404);
  EXPECT_THAT(missing.body, HasSubstr("no such route: /nope"));
  const Reply wrong = Ask(Get("/embed"));
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.at("allow"), "POST, OPTIONS");
  EXPECT_TRUE(json::parse(wrong.body).contains("error_type"));
  EXPECT_EQ(Ask(Get("/health", "", "DELETE")).headers.at("allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(Ask(Post("/embed", kBody, "Content-Encoding: gzip\r\n")).status, 415);
}

TEST_F(Http, RefusedRequestLeavesTheConnectionUsable) {
  Start();
  TestClient client(gateway->port());
  client.Send(Post("/nope", kBody) + Get("/health"));
  EXPECT_EQ(client.Read().status, 404);
  EXPECT_EQ(client.Read().status, 200);
}

TEST_F(Http, HeadHasNoBody) {
  Start();
  TestClient client(gateway->port());
  client.Send(Get("/v1/models", "", "HEAD") + Get("/health"));
  const Reply reply = client.Read(/*has_body=*/false);
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.headers.at("content-length"), "0");
  EXPECT_EQ(client.Read().status, 200);
}

TEST_F(Http, RequestIdIsEchoedOrMade) {
  Start();
  EXPECT_EQ(Ask(Get("/health", "X-Request-Id: abc-1\r\n")).headers.at("x-request-id"), "abc-1");
  EXPECT_EQ(Ask(Get("/health")).headers.at("x-request-id").size(), 16U);
  EXPECT_EQ(Ask(Get("/nope")).headers.at("x-request-id").size(), 16U);
  Ask(Post("/embed", R"({"inputs": "a"})", "X-Request-Id: abc-2\r\n"));
  EXPECT_EQ(model.client.requests().at(0).request_id, "abc-2");
}

TEST_F(Http, Bug60_ApiKeyHealthAndCors) {
  options.service.api_keys = *ApiKeys::Create({.keys = {"secret"}});
  Start();
  EXPECT_EQ(Ask(Get("/health")).status, 200);
  EXPECT_EQ(Ask(Get("/metrics")).status, 200);
  EXPECT_EQ(Ask(Get("/info")).status, 401);
  const Reply preflight = Ask(Get("/v1/embeddings",
                                  "Origin: http://a\r\nAccess-Control-Request-Headers: "
                                  "authorization,x-stainless-os\r\n",
                                  "OPTIONS"));
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.headers.at("access-control-allow-origin"), "*");
  EXPECT_EQ(preflight.headers.at("access-control-allow-headers"), "authorization,x-stainless-os");
  for (const char* header : {"", "Authorization: Bearer wrong\r\n", "Authorization: Bearer \r\n",
                             "Authorization: Basic secret\r\n", "Authorization: secret\r\n"}) {
    const Reply refused = Ask(
        Post("/v1/embeddings", R"({"input":"a"})", std::string("Origin: http://a\r\n") + header));
    EXPECT_EQ(refused.status, 401) << header;
    EXPECT_EQ(refused.headers.at("access-control-allow-origin"), "*");
    EXPECT_EQ(json::parse(refused.body)["error"]["code"], "invalid_api_key");
    EXPECT_THAT(refused.body, Not(HasSubstr("secret")));
  }
  for (const char* header :
       {"Authorization: Bearer secret\r\n", "authorization: bearer secret\r\n"}) {
    EXPECT_EQ(Ask(Post("/v1/embeddings", R"({"input":"a"})", header)).status, 200);
  }
}

TEST_F(Http, CorsNamesOnlyAllowedOrigins) {
  options.service.cors_origins = {"http://good"};
  Start();
  EXPECT_EQ(
      Ask(Get("/health", "Origin: http://good\r\n")).headers.at("access-control-allow-origin"),
      "http://good");
  EXPECT_FALSE(Ask(Get("/health", "Origin: http://bad\r\n"))
                   .headers.contains("access-control-allow-origin"));
}

TEST_F(Http, ConnectionsAreBounded) {
  options.server.connections_max = 2;
  options.server.limits.idle_timeout = milliseconds(20'000);
  Start();
  TestClient first(gateway->port()), second(gateway->port());
  for (TestClient* client : {&first, &second}) {
    client->Send(Get("/health"));
    EXPECT_EQ(client->Read().status, 200);
  }
  TestClient third(gateway->port());
  EXPECT_EQ(third.Read().status, 503);
}

TEST_F(Http, BodiesAreBoundedTogether) {
  options.server.limits.body_timeout = milliseconds(20'000);
  Start();
  const std::string part = "POST /embed HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" +
                           std::string(70'000, ' ');
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 17; ++i) {  // room for sixteen of them
    clients.push_back(std::make_unique<TestClient>(gateway->port()));
    clients.back()->Send(part);
  }
  pollfd sockets[17];
  for (std::size_t i = 0; i < 17; ++i) sockets[i] = {clients[i]->socket(), POLLIN, 0};
  ASSERT_EQ(::poll(sockets, 17, 20'000), 1);
  for (std::size_t i = 0; i < 17; ++i) {
    if (sockets[i].revents != 0) {
      EXPECT_EQ(clients[i]->Read().status, 429);
    }
  }
  clients.clear();
}

TEST_F(Http, InfoAndModels) {
  options.api.version = "1.2.3";
  Start();
  const json info = json::parse(Ask(Get("/info")).body);
  EXPECT_EQ(info["model_id"], "fake-folder");
  EXPECT_EQ(info["served_model_name"], "fake");
  EXPECT_EQ(info["model_type"], json::parse(R"({"embedding":{"pooling":"mean"}})"));
  EXPECT_EQ(info["max_input_length"], 16);
  EXPECT_EQ(info["max_client_batch_size"], 64);
  EXPECT_EQ(info["version"], "1.2.3");
  EXPECT_EQ(info["batch_curve"][1], json::parse(R"({"tokens":32,"step_us":150})"));
  EXPECT_EQ(info["prompts"], json::parse(R"(["empty","query"])"));
  const json models = json::parse(Ask(Get("/v1/models")).body);
  EXPECT_EQ(models["data"][0]["id"], "fake");
  EXPECT_EQ(models["data"][1]["id"], "alias");
  EXPECT_EQ(models["data"][0]["max_model_len"], 16);
}

}  // namespace
}  // namespace ivy
