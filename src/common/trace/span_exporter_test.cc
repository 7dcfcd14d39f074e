#include "common/trace/span_exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/trace/tracer.h"

namespace common {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using Kind = UploadAnswer::Kind;

/// A collector that answers as it is told, and can be slow.
class FakeCollector {
 public:
  UploadAnswer Upload(const std::string& body) {
    std::unique_lock lock(mutex_);
    bodies_.push_back(body);
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_ || hurried_; });
    return hurried_ && held_ ? UploadAnswer{.kind = Kind::kLater, .fault = "too slow"} : answer_;
  }
  void Hurry() {
    const std::lock_guard lock(mutex_);
    hurried_ = true;
    changed_.notify_all();
  }
  void Say(UploadAnswer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  void Hold(bool held) {
    const std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }
  void AwaitUploads(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return bodies_.size() >= count; });
  }
  std::vector<std::string> bodies() {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }
  /// Of all uploads, in their order.
  std::vector<std::string> SpanNames() {
    std::vector<std::string> names;
    for (const std::string& body : bodies()) {
      const Json told = Json::parse(body)["resourceSpans"][0]["scopeSpans"][0];
      for (const Json& span : told["spans"]) names.push_back(span["name"]);
    }
    return names;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> bodies_;
  UploadAnswer answer_;
  bool held_ = false;
  bool hurried_ = false;
};

class FakeUploader final : public SpanUploader {
 public:
  explicit FakeUploader(FakeCollector& collector) : collector_(collector) {}
  UploadAnswer Upload(const std::string& body) override { return collector_.Upload(body); }
  void Hurry(TimePoint) override { collector_.Hurry(); }

 private:
  FakeCollector& collector_;
};

struct SpanExporterTest : testing::Test {
  void Start(const SpanExporterOptions& options) {
    exporter =
        std::make_unique<SpanExporter>(std::make_unique<FakeUploader>(collector),
                                       TraceResource{{"service.name", "test"}}, options, metrics);
  }
  void Take(int first, int count) {
    for (int i = first; i < first + count; ++i) exporter->Take({.name = std::to_string(i)});
  }
  void ExpectCounts(int exported, int full, int failed) {
    const std::string text = metrics.Text();
    EXPECT_THAT(text, HasSubstr("spans_exported_total " + std::to_string(exported) + "\n"));
    EXPECT_THAT(text, HasSubstr("{reason=\"queue_full\"} " + std::to_string(full) + "\n"));
    EXPECT_THAT(text, HasSubstr("{reason=\"export_failed\"} " + std::to_string(failed) + "\n"));
  }
  static std::vector<std::string> Names(int first, int count) {
    std::vector<std::string> names;
    for (int i = first; i < first + count; ++i) names.push_back(std::to_string(i));
    return names;
  }

  // What would be waited for is either at once or never.
  const SpanExporterOptions quick = {.queue_max = 6,
                                     .batch_max = 4,
                                     .interval = Duration::zero(),
                                     .first_backoff = Duration::zero(),
                                     .last_backoff = Duration::zero(),
                                     .attempts = 3};
  FakeCollector collector;
  Metrics metrics;
  std::unique_ptr<SpanExporter> exporter;
};

TEST_F(SpanExporterTest, SendsInBatchesAndInOrder) {
  SpanExporterOptions options = quick;
  options.interval = std::chrono::hours(1);
  Start(options);
  Take(0, 4);  // A whole batch waits no longer.
  collector.AwaitUploads(1);
  Take(4, 3);
  exporter->Shutdown(TimePoint::max());
  EXPECT_EQ(collector.SpanNames(), Names(0, 7));
  EXPECT_EQ(collector.bodies().size(), 2U);
  ExpectCounts(7, 0, 0);
  Take(7, 1);
  ExpectCounts(7, 1, 0);
}

TEST_F(SpanExporterTest, ASlowCollectorCostsSpansAndNoTime) {
  Start(quick);
  collector.Hold(true);
  Take(0, 1);
  collector.AwaitUploads(1);
  Take(1, 9);  // Six of them wait.
  ExpectCounts(0, 3, 0);
  collector.Hold(false);
  exporter->Shutdown(TimePoint::max());
  EXPECT_EQ(collector.SpanNames(), Names(0, 7));
  ExpectCounts(7, 3, 0);
}

TEST_F(SpanExporterTest, TriesAgainAndThenGivesUp) {
  Start(quick);
  collector.Say({.kind = Kind::kLater, .fault = "503"});
  Take(0, 1);
  collector.AwaitUploads(3);
  collector.Say({});
  Take(1, 1);
  exporter->Shutdown(TimePoint::max());
  const std::vector<std::string> names = collector.SpanNames();
  EXPECT_EQ(std::ranges::count(names, "0"), 3);
  EXPECT_EQ(std::ranges::count(names, "1"), 1);
  ExpectCounts(1, 0, 1);
}

TEST_F(SpanExporterTest, WhatIsRefusedIsNotSentAgain) {
  Start(quick);
  collector.Say({.kind = Kind::kRefused, .fault = "500"});
  Take(0, 1);
  exporter->Shutdown(TimePoint::max());
  EXPECT_EQ(collector.bodies().size(), 1U);
  ExpectCounts(0, 0, 1);
}

TEST_F(SpanExporterTest, ShutdownCutsABackoffShort) {
  SpanExporterOptions options = quick;
  options.first_backoff = options.last_backoff = std::chrono::hours(1);
  Start(options);
  collector.Say({.kind = Kind::kLater, .fault = "503"});
  Take(0, 1);
  collector.AwaitUploads(1);
  collector.Say({});
  exporter->Shutdown(Clock::Steady().Now() + std::chrono::minutes(1));
  EXPECT_EQ(collector.bodies().size(), 2U) << "once more, since there is time";
  ExpectCounts(1, 0, 0);
}

TEST_F(SpanExporterTest, WaitsAsLongAsTheCollectorAsks) {
  Start(quick);
  collector.Say({.kind = Kind::kLater, .fault = "429", .retry_after = std::chrono::hours(1)});
  Take(0, 1);
  collector.AwaitUploads(1);
  Take(1, 5);
  exporter->Shutdown(Clock::Steady().Now() + std::chrono::minutes(1));
  // Once more, and the two batches that waited once each.
  EXPECT_EQ(collector.bodies().size(), 4U);
  ExpectCounts(0, 0, 6);
}

TEST_F(SpanExporterTest, ShutdownAtOnceDropsWhatWaits) {
  Start(quick);
  collector.Hold(true);
  Take(0, 1);
  collector.AwaitUploads(1);
  Take(1, 3);
  exporter->Shutdown(TimePoint::min());
  EXPECT_EQ(collector.bodies().size(), 1U);
  ExpectCounts(0, 0, 4);
}

TEST(OtlpJson, IsWhatACollectorReads) {
  const TraceContext parent =
      ReadTraceContext("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "v=1");
  SpanRecord span = {.context = parent, .parent = SpanId{1, 2, 3, 4, 5, 6, 7, 8}, .name = "n"};
  span.kind = SpanKind::kServer;
  span.start = TimePoint(milliseconds(1));
  span.end = TimePoint(milliseconds(3));
  span.attributes = {{"number", int64_t{7}}, {"text", "a\"\xff"}};
  span.failed = true;
  span.message = "why";
  const Json body = Json::parse(
      OtlpJson({{"service.name", "s"}}, std::span(&span, 1), std::chrono::seconds(1'700'000'000)));
  const Json& told = body["resourceSpans"][0];
  EXPECT_EQ(told["resource"]["attributes"],
            Json::parse(R"([{"key":"service.name","value":{"stringValue":"s"}}])"));
  EXPECT_EQ(told["scopeSpans"][0]["spans"][0], Json::parse(R"({
    "traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331",
    "parentSpanId": "0102030405060708", "traceState": "v=1", "name": "n", "kind": 2,
    "startTimeUnixNano": "1700000000001000000", "endTimeUnixNano": "1700000000003000000",
    "attributes": [{"key": "number", "value": {"intValue": "7"}},
                   {"key": "text", "value": {"stringValue": "a\"\ufffd"}}],
    "status": {"code": 2, "message": "why"}})"));
}

}  // namespace
}  // namespace common
