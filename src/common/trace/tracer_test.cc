#include "common/trace/tracer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "common/trace/fake_span_sink.h"

namespace common {
namespace {

using std::chrono::microseconds;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr char kSampled[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr char kUnsampled[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

TimePoint At(int us) { return TimePoint(microseconds(us)); }

TEST(Tracer, SpansHangBelowOneAnother) {
  FakeSpanSink sink;
  const Tracer tracer(&sink);
  const TraceContext parent = ReadTraceContext(kSampled, "vendor=value");
  Span server = tracer.Enter(parent, SpanKind::kServer, At(1));
  server.Name("POST /x");
  Span child(server.trace(), "child", At(2));
  child.Set("number", 3).Set("text", "t").Fail("why");
  child.End(At(4));
  server.End(At(5));
  const std::vector<SpanRecord> spans = sink.spans();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].name, "POST /x");
  EXPECT_EQ(spans[0].parent, parent.span_id);
  EXPECT_EQ(spans[0].kind, SpanKind::kServer);
  EXPECT_EQ(spans[0].end, At(5));
  EXPECT_FALSE(spans[0].failed);
  EXPECT_EQ(spans[1].parent, spans[0].context.span_id);
  EXPECT_EQ(spans[1].kind, SpanKind::kInternal);
  EXPECT_TRUE(spans[1].failed);
  EXPECT_EQ(spans[1].message, "why");
  EXPECT_THAT(spans[1].attributes,
              UnorderedElementsAre(Pair("number", SpanRecord::Value(int64_t{3})),
                                   Pair("text", SpanRecord::Value("t"))));
  for (const SpanRecord& span : spans) {
    EXPECT_EQ(span.context.trace_id, parent.trace_id);
    EXPECT_EQ(span.context.state, "vendor=value");
    EXPECT_NE(span.context.span_id, parent.span_id);
  }
  child.Set("late", 1).End(At(6));
  EXPECT_EQ(sink.spans().size(), 2U) << "a span ends once";
}

TEST(Tracer, AParentDecides) {
  FakeSpanSink sink;
  for (const double ratio : {0.0, 1.0}) {
    const Tracer tracer(&sink, ratio);
    EXPECT_TRUE(tracer.Enter(ReadTraceContext(kSampled, ""), SpanKind::kServer, At(0)).recorded());
    const Span span = tracer.Enter(ReadTraceContext(kUnsampled, ""), SpanKind::kServer, At(0));
    EXPECT_FALSE(span.recorded());
    EXPECT_FALSE(span.trace().context.sampled) << "so it is told to those behind";
    EXPECT_FALSE(Span(span.trace(), "child", At(0)).recorded());
  }
}

TEST(Tracer, WithoutAParentTheRatioDecides) {
  FakeSpanSink sink;
  for (const auto& [ratio, least, most] :
       {std::tuple{0.0, 0, 0}, {0.25, 800, 1200}, {1.0, 4000, 4000}}) {
    const Tracer tracer(&sink, ratio);
    std::set<TraceId> ids;
    int recorded = 0;
    for (int i = 0; i < 4000; ++i) {
      const Span span = tracer.Enter({}, SpanKind::kServer, At(0));
      const TraceContext& context = span.trace().context;
      ASSERT_TRUE(context.valid());
      EXPECT_EQ(context.sampled, span.recorded());
      ids.insert(context.trace_id);
      recorded += span.recorded() ? 1 : 0;
    }
    EXPECT_EQ(ids.size(), 4000U);
    EXPECT_GE(recorded, least) << ratio;
    EXPECT_LE(recorded, most) << ratio;
  }
}

TEST(Tracer, OffItPassesOnWhatCame) {
  const TraceContext parent = ReadTraceContext(kSampled, "vendor=value");
  const Span span = Tracer::Off().Enter(parent, SpanKind::kServer, At(0));
  const Span child(span.trace(), "child", At(0));
  for (const Span* one : {&span, &child}) {
    EXPECT_FALSE(one->recorded());
    EXPECT_EQ(TraceParent(one->trace().context), kSampled);
    EXPECT_EQ(one->trace().context.state, "vendor=value");
  }
  EXPECT_FALSE(Tracer::Off().Enter({}, SpanKind::kServer, At(0)).trace().context.valid());
}

}  // namespace
}  // namespace common
