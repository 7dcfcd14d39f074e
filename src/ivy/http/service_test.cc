#include "ivy/http/service.h"

#include <gtest/gtest.h>

#include "ivy/http/request_id.h"

namespace ivy {
namespace {

TEST(Cause, StatusesOfTheInferenceClient) {
  EXPECT_EQ(CauseOf(absl::ResourceExhaustedError("")), Cause::kOverloaded);
  EXPECT_EQ(CauseOf(absl::DeadlineExceededError("")), Cause::kDeadline);
  EXPECT_EQ(CauseOf(absl::CancelledError("")), Cause::kCancelled);
  EXPECT_EQ(CauseOf(absl::UnavailableError("")), Cause::kUnhealthy);
  EXPECT_EQ(CauseOf(absl::InternalError("")), Cause::kBackend);
  EXPECT_EQ(CauseOf(absl::InvalidArgumentError("")), Cause::kBackend);
}

TEST(Cause, BodyHasTheDialectsShape) {
  const absl::Status failure = Failure(Cause::kTooLong, "input[3]", "600 tokens");
  EXPECT_EQ(ErrorBody(Dialect::kOpenAi, failure),
            R"({"error":{"message":"input[3]: 600 tokens","type":"invalid_request_error",)"
            R"("param":"input[3]","code":"context_length_exceeded"}})");
  EXPECT_EQ(ErrorBody(Dialect::kTei, failure),
            R"({"error":"input[3]: 600 tokens","error_type":"Validation"})");
  EXPECT_EQ(ErrorBody(Dialect::kOpenAi, Failure(Cause::kBackend, "boom")),
            R"({"error":{"message":"boom","type":"server_error","param":null,"code":null}})");
}

TEST(RequestId, OnlyPlainOnesAreTaken) {
  EXPECT_EQ(RequestId("a-b_1"), "a-b_1");
  for (const std::string& bad :
       {std::string(), std::string("a b"), std::string("a\x80"), std::string(129, 'a')}) {
    EXPECT_EQ(RequestId(bad).size(), 16U);
  }
  EXPECT_NE(RequestId(""), RequestId(""));
}

TEST(Router, AliasesTrailingSlashAndMethods) {
  common::Metrics metrics;
  Router router(metrics);
  const Endpoint nothing = [](const std::shared_ptr<Exchange>&) {};
  router.Add({"/a", "/b", "/"}, {.get = nothing});
  router.Add({"/c"}, {.post = nothing});
  for (const char* path : {"/a", "/a/", "/b", "/"}) EXPECT_EQ(router.Find(path).name, "/a") << path;
  for (const char* path : {"", "/a//", "/A", "/a/x", "a"}) EXPECT_FALSE(router.Knows(path)) << path;
  EXPECT_NE(router.Find("/a").Find(Method::kHead), nullptr);
  EXPECT_EQ(router.Find("/a").Find(Method::kPost), nullptr);
  EXPECT_EQ(router.Find("/c").Find(Method::kGet), nullptr);
  EXPECT_EQ(router.Find("/c").Allow(), "POST, OPTIONS");
}

/// A connection that remembers what it was given.
class RecordingTransport final : public Transport {
 public:
  void Post(std::function<void()> work) override { work(); }
  void Deliver(Response response) override { responses.push_back(std::move(response)); }
  std::vector<Response> responses;
};

TEST(Exchange, FirstAnswerWins) {
  common::Metrics metrics;
  const auto service =
      std::make_shared<Service>(ServiceOptions{}, std::make_unique<Router>(metrics));
  const auto transport = std::make_shared<RecordingTransport>();
  Exchange exchange(service, transport);
  service->Open(exchange);
  exchange.Fail(Failure(Cause::kDeadline, "late"));
  exchange.Answer({});
  exchange.Fail(Failure(Cause::kBackend, "boom"));
  ASSERT_EQ(transport->responses.size(), 1U);
  EXPECT_EQ(transport->responses[0].status, 504);
}

TEST(Exchange, AbandonedIsNotAnswered) {
  common::Metrics metrics;
  const auto service =
      std::make_shared<Service>(ServiceOptions{}, std::make_unique<Router>(metrics));
  const auto transport = std::make_shared<RecordingTransport>();
  Exchange exchange(service, transport);
  service->Open(exchange);
  exchange.Abandon();
  exchange.Answer({});
  EXPECT_TRUE(exchange.cancel->cancelled());
  EXPECT_TRUE(transport->responses.empty());
}

}  // namespace
}  // namespace ivy
