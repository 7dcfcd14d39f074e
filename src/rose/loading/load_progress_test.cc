#include "rose/loading/load_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/log_capture.h"

namespace rose {
namespace {

TEST(LoadProgress, TellsEveryTwoSecondsAndAtTheEnd) {
  common::VirtualClock clock;
  common::LogCapture log;
  LoadProgress progress(2'400'000'000, clock);
  clock.Advance(std::chrono::seconds(1));
  progress.Add(1, 500'000'000);
  EXPECT_EQ(log.text(), "");
  clock.Advance(std::chrono::seconds(1));
  progress.Add(2, 500'000'000);
  EXPECT_EQ(log.text(), "reading weights: 1.00 of 2.40 GB, 3 tensors, 0.50 GB/s\n");
  clock.Advance(std::chrono::seconds(1));
  progress.Add(1, 1'400'000'000);
  progress.Finish();
  EXPECT_THAT(log.text(),
              testing::EndsWith("\nread weights: 2.40 of 2.40 GB, 4 tensors, 0.80 GB/s\n"));
}

TEST(LoadProgress, WithoutATotal) {
  common::VirtualClock clock;
  LoadProgress progress(0, clock);
  clock.Advance(std::chrono::seconds(1));
  progress.Add(1, 100'000'000);
  EXPECT_EQ(progress.Text(), "0.10 GB, 1 tensors, 0.10 GB/s");
}

}  // namespace
}  // namespace rose
