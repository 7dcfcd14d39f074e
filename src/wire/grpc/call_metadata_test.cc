#include "wire/grpc/call_metadata.h"

#include <gtest/gtest.h>

namespace wire {
namespace {

using common::TimePoint;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::system_clock;

TEST(CallMetadataTest, ADeadlineIsAsFarAwayOnTheOtherClock) {
  const TimePoint steady = common::Clock::Steady().Now() + hours(1);
  EXPECT_GT(ToSystem(steady), system_clock::now() + minutes(50));
  EXPECT_LT(ToSystem(steady), system_clock::now() + minutes(70));
  const auto system = system_clock::now() + hours(1);
  EXPECT_GT(ToSteady(system), common::Clock::Steady().Now() + minutes(50));
  EXPECT_LT(ToSteady(system), common::Clock::Steady().Now() + minutes(70));
}

TEST(CallMetadataTest, NoDeadlineStaysNone) {
  EXPECT_EQ(ToSystem(TimePoint::max()), system_clock::time_point::max());
  EXPECT_EQ(ToSteady(system_clock::time_point::max()), TimePoint::max());
}

TEST(CallMetadataTest, TheEndsOfTimeAreNoTrouble) {
  const auto long_ago = ToSystem(TimePoint::min());
  EXPECT_LE(long_ago, system_clock::now());
  const TimePoint before_us = ToSteady(system_clock::time_point::min());
  EXPECT_LE(before_us, common::Clock::Steady().Now());
  EXPECT_GT(ToSystem(TimePoint::max() - hours(1)), system_clock::now() + hours(24));
  EXPECT_GT(ToSteady(system_clock::time_point::max() - hours(1)),
            common::Clock::Steady().Now() + hours(24));
}

}  // namespace
}  // namespace wire
