#include "tulip/request_spans.h"

#include <gtest/gtest.h>

#include "common/trace/fake_span_sink.h"
#include "common/trace/tracer.h"
#include "tulip/worker_fixture.h"

namespace tulip {
namespace {

using common::SpanRecord;
using std::chrono::seconds;

class RequestSpansTest : public WorkerTest {
 protected:
  wire::InferenceRequest Traced(std::vector<int32_t> lengths) {
    wire::InferenceRequest request = MakeRequest(std::move(lengths));
    request.trace = tracer_.Enter({}, common::SpanKind::kServer, {}).trace();
    return request;
  }
  static common::TimePoint At(int s) { return common::TimePoint(seconds(s)); }

  common::FakeSpanSink sink_;
  const common::Tracer tracer_{&sink_};
};

TEST_F(RequestSpansTest, QueueThenCompute) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({1}));
  engine_->WaitForSteps(1);
  const wire::InferenceRequest request = Traced({2, 3});
  const common::TraceContext parent = request.trace.context;
  Infer(1, request);
  clock_.Advance(seconds(3));
  engine_->Release(1);
  engine_->WaitForSteps(2);
  clock_.Advance(seconds(4));
  engine_->ReleaseAll();
  ASSERT_TRUE(answers_.Get(1).ok());
  const std::vector<SpanRecord> spans = sink_.spans();
  ASSERT_EQ(spans.size(), 2U) << "none of the request without a trace";
  EXPECT_EQ(spans[0].name, "queue");
  EXPECT_EQ(spans[0].start, At(0));
  EXPECT_EQ(spans[0].end, At(3));
  EXPECT_EQ(spans[1].name, "compute");
  EXPECT_EQ(spans[1].start, At(3));
  EXPECT_EQ(spans[1].end, At(7));
  for (const SpanRecord& span : spans) {
    EXPECT_EQ(span.context.trace_id, parent.trace_id);
    EXPECT_EQ(span.parent, parent.span_id);
    EXPECT_FALSE(span.failed);
  }
}

TEST_F(RequestSpansTest, WhatNeverRanHasNoCompute) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({1}));
  engine_->WaitForSteps(1);
  wire::InferenceRequest request = Traced({2});
  request.deadline = At(1);
  Infer(1, std::move(request));
  clock_.Advance(seconds(2));
  engine_->ReleaseAll();
  EXPECT_EQ(CodeOf(1), absl::StatusCode::kDeadlineExceeded);
  const std::vector<SpanRecord> spans = sink_.spans();
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].name, "queue");
  EXPECT_TRUE(spans[0].failed);
  EXPECT_EQ(spans[0].end, At(2));
}

}  // namespace
}  // namespace tulip
