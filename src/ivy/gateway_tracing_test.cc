// Traces and stage metrics of requests on their way through a gateway.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "common/hex.h"
#include "common/trace/fake_span_sink.h"
#include "common/trace/tracer.h"
#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using common::SpanRecord;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kParent = "00-" + kTrace + "-b7ad6b7169203331-01";

class GatewayTracingTest : public GatewayTest {
 protected:
  void StartTraced(double sample_ratio = 0) {
    tracer.emplace(&sink, sample_ratio);
    options.service.tracer = &*tracer;
    Start();
  }
  Reply Embed(const json& input, const std::string& headers) {
    return Ask(Post("/v1/embeddings", json{{"input", input}}.dump(), headers));
  }
  SpanRecord Only(const std::string& name) {
    const std::vector<SpanRecord> named = sink.Named(name);
    EXPECT_EQ(named.size(), 1U) << name;
    return named.empty() ? SpanRecord() : named[0];
  }
  static std::map<std::string_view, SpanRecord::Value> AttributesOf(const SpanRecord& span) {
    return {span.attributes.begin(), span.attributes.end()};
  }

  common::FakeSpanSink sink;
  std::optional<common::Tracer> tracer;
};

TEST_F(GatewayTracingTest, StagesHangBelowTheRequest) {
  model.client.info().saturation_tokens = 4;
  StartTraced();
  const Reply reply = Embed({"one two", "three four"}, "traceparent: " + kParent +
                                                           "\r\ntracestate: a=1\r\n"
                                                           "tracestate: b=2\r\n"
                                                           "x-request-id: mine\r\n");
  ASSERT_EQ(reply.status, 200) << reply.body;
  const SpanRecord request = Only("POST /v1/embeddings");
  EXPECT_EQ(common::Hex(request.context.trace_id), kTrace);
  EXPECT_EQ(common::Hex(request.parent), "b7ad6b7169203331");
  EXPECT_EQ(request.context.state, "a=1,b=2");
  EXPECT_EQ(request.kind, common::SpanKind::kServer);
  EXPECT_FALSE(request.failed);
  auto attributes = AttributesOf(request);
  EXPECT_EQ(attributes["http.request.method"], SpanRecord::Value("POST"));
  EXPECT_EQ(attributes["http.route"], SpanRecord::Value("/v1/embeddings"));
  EXPECT_EQ(attributes["http.response.status_code"], SpanRecord::Value(200));
  EXPECT_EQ(attributes["parterre.request_id"], SpanRecord::Value("mine"));
  EXPECT_EQ(reply.headers.at("traceparent"), TraceParent(request.context));
  EXPECT_EQ(Only("tokenize").parent, request.context.span_id);
  EXPECT_EQ(Only("render").parent, request.context.span_id);
  const std::vector<SpanRecord> chunks = sink.Named("chunk");
  const auto asked = model.client.requests();
  ASSERT_EQ(chunks.size(), asked.size());
  ASSERT_GT(chunks.size(), 1U);
  for (const SpanRecord& chunk : chunks) {
    EXPECT_EQ(chunk.parent, request.context.span_id);
    EXPECT_LE(request.start, chunk.start);
    EXPECT_LE(chunk.end, request.end);
    const auto sent = std::ranges::count_if(asked, [&](const wire::InferenceRequest& one) {
      return one.trace.context.span_id == chunk.context.span_id;
    });
    EXPECT_EQ(sent, 1) << "what the replica does hangs below the chunk";
  }
}

TEST_F(GatewayTracingTest, WhatIsNoTraceparentBeginsATrace) {
  StartTraced(/*sample_ratio=*/1);
  for (const std::string& headers :
       {std::string(), "traceparent: " + kParent + "-\r\n",
        "traceparent: " + kParent + "\r\ntraceparent: " + kParent + "\r\n"}) {
    const std::string told = Embed("a", headers).headers.at("traceparent");
    EXPECT_THAT(told, MatchesRegex("00-[0-9a-f]+-[0-9a-f]+-01"));
    EXPECT_THAT(told, Not(HasSubstr(kTrace))) << headers;
  }
  for (const SpanRecord& span : sink.Named("POST /v1/embeddings")) {
    EXPECT_EQ(span.parent, common::SpanId{});
  }
}

TEST_F(GatewayTracingTest, FailuresAreTold) {
  StartTraced(/*sample_ratio=*/1);
  EXPECT_EQ(Embed(json::array(), "").status, 400);
  model.client.Refuse({absl::InternalError("boom")});
  EXPECT_EQ(Embed("a", "").status, 500);
  const std::vector<SpanRecord> requests = sink.Named("POST /v1/embeddings");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_FALSE(requests[0].failed) << "the client's fault";
  EXPECT_TRUE(requests[1].failed);
  EXPECT_EQ(AttributesOf(requests[1])["error.type"], SpanRecord::Value("inference"));
  EXPECT_TRUE(Only("chunk").failed);
  EXPECT_EQ(Only("chunk").message, "boom");
}

TEST_F(GatewayTracingTest, ProbesAndTheUnsampledAreNotRecorded) {
  StartTraced(/*sample_ratio=*/1);
  EXPECT_FALSE(Ask(Get("/health")).headers.contains("traceparent"));
  const std::string unsampled = "00-" + kTrace + "-b7ad6b7169203331-00";
  const Reply reply = Embed("a", "traceparent: " + unsampled + "\r\n");
  EXPECT_THAT(reply.headers.at("traceparent"), MatchesRegex("00-" + kTrace + "-[0-9a-f]+-00"));
  EXPECT_FALSE(model.client.requests()[0].trace.recorded());
  EXPECT_TRUE(sink.spans().empty());
}

TEST_F(GatewayTracingTest, WithoutACollectorTheTraceIsPassedOn) {
  Start();
  EXPECT_EQ(Embed("a", "traceparent: " + kParent + "\r\n").headers.at("traceparent"), kParent);
  EXPECT_EQ(TraceParent(model.client.requests()[0].trace.context), kParent);
  EXPECT_FALSE(Embed("a", "").headers.contains("traceparent"));
}

TEST_F(GatewayTracingTest, EachStageIsMeasured) {
  Start();
  EXPECT_EQ(Embed({"a", "b"}, "").status, 200);
  const std::string text = Ask(Get("/metrics")).body;
  for (const char* stage : {"tokenize", "chunk_queue", "chunk_compute", "chunk_hop", "render"}) {
    EXPECT_THAT(text, HasSubstr(std::string("parterre_") + stage + "_duration_seconds_count 1\n"));
  }
  // As the fake replica tells, to the microsecond.
  EXPECT_THAT(text, HasSubstr("parterre_chunk_queue_duration_seconds_sum 0.001\n"));
  EXPECT_THAT(text, HasSubstr("parterre_chunk_compute_duration_seconds_sum 0.002\n"));
}

}  // namespace
}  // namespace ivy
