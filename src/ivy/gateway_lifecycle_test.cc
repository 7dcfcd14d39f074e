#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kBody[] = R"({"inputs":"hello"})";

common::TimePoint In(std::chrono::seconds seconds) {
  return common::Clock::Steady().Now() + seconds;
}

class Lifecycle : public GatewayTest {
 protected:
  /// The value of a sample, -1 if there is none. `sample`: name and labels as exposed.
  double Metric(const std::string& sample) {
    const std::string text = "\n" + metrics.Text();
    const std::size_t at = text.find("\n" + sample + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + sample.size() + 2));
  }
  void AwaitMetric(const std::string& sample, double value) {
    const common::TimePoint deadline = In(std::chrono::seconds(20));
    while (Metric(sample) != value && common::Clock::Steady().Now() < deadline) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    EXPECT_EQ(Metric(sample), value) << sample;
  }
};

TEST_F(Lifecycle, MetricsSayWhatTheTokenizerRemembers) {
  Start();
  const std::string words = "parterre_tokenizer_words_total{model=\"fake\"}";
  const std::string split = "parterre_tokenizer_words_split_total{model=\"fake\"}";
  EXPECT_EQ(Ask(Get("/metrics")).status, 200);
  const double before = Metric(words);  // prompts were counted
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Ask(Post("/embed", kBody)).status, 200);
  // Asked twice, counted once.
  for (int i = 0; i < 2; ++i) EXPECT_THAT(Ask(Get("/metrics")).body, HasSubstr("\n" + words + " "));
  EXPECT_EQ(Metric(words), before + 2);
  EXPECT_EQ(Metric(split), before + 2);
  EXPECT_EQ(Metric("parterre_tokenizer_words_remembered_total{model=\"fake\"}"), 0);
  EXPECT_EQ(Metric("parterre_tokenizer_memory_bytes{model=\"fake\"}"), FakeTokenizer::kMemoryBytes);
}

TEST_F(Lifecycle, Bug65_DrainAnswersWhatWasAccepted) {
  Start();
  TestClient idle(gateway->port()), busy(gateway->port());
  idle.Send(Get("/health"));
  EXPECT_EQ(idle.Read().status, 200);
  model.client.Hold();
  busy.Send(Post("/embed", kBody));
  model.client.AwaitRequests(1);

  gateway->BeginDrain();
  const Reply health = Ask(Get("/health"));
  EXPECT_EQ(health.status, 503);
  EXPECT_EQ(json::parse(health.body)["error_type"], "Unhealthy");

  gateway->StopAccepting();
  EXPECT_TRUE(idle.AtEnd());
  EXPECT_FALSE(TestClient(gateway->port()).connected());
  EXPECT_FALSE(gateway->Wait(common::Clock::Steady().Now()));

  model.client.Release();
  const Reply reply = busy.Read();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("connection"), "close");
  EXPECT_TRUE(gateway->Wait(In(std::chrono::seconds(20))));
}

TEST_F(Lifecycle, Bug65_DestroyedWithRequestsInHand) {
  Start();
  model.client.Hold();
  TestClient client(gateway->port());
  client.Send(Post("/embed", kBody));
  model.client.AwaitRequests(1);
  gateway.reset();
  EXPECT_TRUE(client.AtEnd());
  EXPECT_TRUE(model.client.requests()[0].cancel->cancelled());
  model.client.Release();  // its answer comes back to nobody
}

TEST_F(Lifecycle, Bug64_ClientThatLeavesIsNotWorkedFor) {
  Start();
  model.client.Hold();
  for (std::size_t i = 1; i <= 20; ++i) {
    TestClient client(gateway->port());
    client.Send(Post("/embed", kBody));
    model.client.AwaitRequests(i);
  }
  AwaitMetric(R"(parterre_requests_failure_total{cause="cancelled",route="/embed"})", 20);
  for (const auto& request : model.client.requests()) EXPECT_TRUE(request.cancel->cancelled());
  model.client.Release();
  AwaitMetric("parterre_inputs_in_flight", 0);
  AwaitMetric("parterre_connections", 0);
  EXPECT_EQ(Ask(Post("/embed", kBody)).status, 200);
}

TEST_F(Lifecycle, DeadlineIs504AndCancels) {
  options.server.limits.request_timeout = milliseconds(100);
  Start();
  model.client.Hold();
  TestClient client(gateway->port());
  client.Send(Post("/v1/embeddings", R"({"input":"a"})"));
  const Reply reply = client.Read();
  EXPECT_EQ(reply.status, 504);
  EXPECT_EQ(json::parse(reply.body)["error"]["code"], "timeout");
  EXPECT_EQ(reply.headers.at("connection"), "keep-alive");
  EXPECT_TRUE(model.client.requests()[0].cancel->cancelled());
  model.client.Release();
  AwaitMetric("parterre_inputs_in_flight", 0);
}

TEST_F(Lifecycle, Bug62_OverloadIs429AtOnceAndEndsWithIt) {
  options.api.limits.items_max = options.api.runner.inputs_in_flight_max = 4;
  Start();
  model.client.Hold();
  TestClient first(gateway->port());
  first.Send(Post("/embed", R"({"inputs":["a","b","c"]})"));
  model.client.AwaitRequests(1);
  const Reply refused = Ask(Post("/embed", R"({"inputs":["a","b"]})"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_EQ(json::parse(refused.body)["error_type"], "Overloaded");
  EXPECT_EQ(Ask(Post("/v1/embeddings", R"({"input":["a","b"]})")).status, 429);
  EXPECT_EQ(Metric("parterre_inputs_in_flight"), 3);
  model.client.Release();
  EXPECT_EQ(first.Read().status, 200);
  AwaitMetric("parterre_inputs_in_flight", 0);
  EXPECT_EQ(Ask(Post("/embed", R"({"inputs":["a","b","c","d"]})")).status, 200);
}

TEST_F(Lifecycle, FailuresOfTheModelAreTold) {
  Start();
  const std::tuple<absl::Status, int, int> cases[] = {
      {absl::ResourceExhaustedError("queue full"), 429, 429},
      {absl::DeadlineExceededError("late"), 504, 504},
      {absl::UnavailableError("gone"), 503, 503},
      {absl::InternalError("boom"), 500, 424},
      {absl::InvalidArgumentError("our own fault"), 500, 424},
  };
  for (const auto& [status, openai, tei] : cases) {
    model.client.Refuse({status, status});
    EXPECT_EQ(Ask(Post("/v1/embeddings", R"({"input":"a"})")).status, openai) << status;
    EXPECT_EQ(Ask(Post("/embed", kBody)).status, tei) << status;
  }
  EXPECT_EQ(Ask(Post("/embed", kBody)).status, 200);
}

TEST_F(Lifecycle, Bug31_NonFiniteValueNamesItsInput) {
  Start();
  model.client.Spoil(1);
  const Reply reply = Ask(Post("/v1/embeddings", R"({"input":["a","b","c"]})"));
  EXPECT_EQ(reply.status, 500);
  EXPECT_THAT(reply.body, HasSubstr("input[1]: its dense output has a non-finite value"));
  EXPECT_THAT(reply.body, Not(HasSubstr("embedding")));
}

TEST_F(Lifecycle, Bug63_HealthFollowsTheEngine) {
  Start();
  model.client.healthy = false;
  EXPECT_EQ(Ask(Get("/health")).status, 503);
  model.client.healthy = true;
  EXPECT_EQ(Ask(Get("/health")).status, 200);
}

TEST_F(Lifecycle, Bug66_EachRequestCountsOnce) {
  Start();
  for (const std::string route : {"/embed", "/v1/embeddings"}) {
    const std::string label = "{route=\"" + route + "\"}";
    EXPECT_EQ(Metric("parterre_requests_total" + label), 0);
    Ask(Post(route, R"({"input":"hello","inputs":"hello"})"));
    EXPECT_EQ(Metric("parterre_requests_total" + label), 1);
    EXPECT_EQ(Metric("parterre_requests_success_total" + label), 1);
    EXPECT_EQ(Metric("parterre_request_duration_seconds_count" + label), 1);
    Ask(Post(route, "{}"));
    EXPECT_EQ(Metric("parterre_requests_total" + label), 2);
    EXPECT_EQ(Metric("parterre_requests_success_total" + label), 1);
    EXPECT_EQ(
        Metric("parterre_requests_failure_total{cause=\"validation\",route=\"" + route + "\"}"), 1);
  }
  EXPECT_EQ(Metric("parterre_inputs_total"), 2);
  EXPECT_EQ(Metric("parterre_tokens_total"), 6);
  EXPECT_EQ(Metric("parterre_tokenize_duration_seconds_count"), 2);
}

TEST_F(Lifecycle, ManyConnectionsManyRequests) {
  Start();
  const std::string right = Ask(Post("/embed", kBody)).body;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      TestClient client(gateway->port());
      for (int j = 0; j < 100; ++j) {
        client.Send(Post("/embed", kBody));
        if (client.Read().body != right) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Lifecycle, OptionsThatCannotWorkAreRefused) {
  const auto create = [&] {
    return std::string(Gateway::Create(options, {model.Served()}, metrics).status().message());
  };
  options.api.limits.items_max = 200;
  EXPECT_THAT(create(), HasSubstr("--max-client-batch-size 200 exceeds --max-concurrent-requests"));
  options.api.limits.items_max = 1;
  options.server.host = "no such host";
  EXPECT_THAT(create(), HasSubstr("--host no such host: expected an address"));
  options.server.host = "127.0.0.1";
  model.client.info().vocabulary_size = 10;
  EXPECT_THAT(create(), HasSubstr("the tokenizer has ids up to 999, the model's vocab_size is 10"));
  model.client.info().vocabulary_size = 1000;
  model.folder.lower_case = true;
  EXPECT_THAT(create(), HasSubstr("do_lower_case: is true, but the tokenizer keeps the case"));
}

TEST_F(Lifecycle, TakenPortIsNamed) {
  Start();
  options.server.port = gateway->port();
  const auto second = Gateway::Create(options, {model.Served()}, metrics);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("cannot listen on 127.0.0.1:"));
}

}  // namespace
}  // namespace ivy
