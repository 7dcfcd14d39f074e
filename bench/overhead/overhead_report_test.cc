#include "bench/overhead/overhead_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;

Passage MakePassage(const std::vector<std::pair<Mark, int>>& marks) {
  Passage passage;
  for (const auto& [mark, us] : marks) {
    passage[static_cast<std::size_t>(mark)] = common::TimePoint(microseconds(us));
  }
  return passage;
}

PathTimes GrpcPath() {
  return {.name = "gRPC",
          .first = Mark::kAsked,
          .last = Mark::kReturned,
          .passages = {MakePassage({{Mark::kAsked, 100},
                                    {Mark::kReceived, 150},
                                    {Mark::kAnswered, 160},
                                    {Mark::kReturned, 200}})}};
}

TEST(TimesBetween, TakesEachRequestsOwnDifference) {
  std::vector<Passage> passages;
  for (int i = 1; i <= 100; ++i) {
    passages.push_back(MakePassage({{Mark::kAsked, i * 1000}, {Mark::kAnswered, i * 1000 + i}}));
  }
  const Microseconds times = TimesBetween(passages, Mark::kAsked, Mark::kAnswered);
  EXPECT_DOUBLE_EQ(times.p50, 50);
  EXPECT_DOUBLE_EQ(times.p90, 90);
  EXPECT_DOUBLE_EQ(times.p99, 99);
}

TEST(TotalsTable, HasALineForEachPath) {
  EXPECT_THAT(TotalsTable({GrpcPath()}), HasSubstr("| gRPC | 100.0 | 100.0 | 100.0 |\n"));
}

TEST(StagesTable, SkipsWhatAPathDoesNotPass) {
  PathTimes worker = GrpcPath();
  worker.name = "worker";
  worker.last = Mark::kAnswered;
  const std::string table = StagesTable({worker, GrpcPath()});
  EXPECT_THAT(table, HasSubstr("| p50 µs | worker | gRPC |\n"));
  EXPECT_THAT(table, HasSubstr("| rows onto the request | 10.0 | 10.0 |\n"));
  EXPECT_THAT(table, HasSubstr("| wake the completion thread |  |  |\n"));
  EXPECT_THAT(table, HasSubstr("wake Ivy, receive |  | 40.0 |\n"));
}

TEST(Recorder, HandsOutEachPassageOnce) {
  Recorder recorder;
  recorder.Stamp(Mark::kStepped);
  const Passage passage = recorder.Take();
  EXPECT_TRUE(Passed(passage, Mark::kStepped));
  EXPECT_FALSE(Passed(passage, Mark::kAwaited));
  EXPECT_FALSE(Passed(recorder.Take(), Mark::kStepped));
}

}  // namespace
}  // namespace bench
