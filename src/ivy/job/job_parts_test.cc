#include <gtest/gtest.h>

#include <cmath>
#include <future>
#include <limits>
#include <set>

#include "ivy/job/admission.h"
#include "ivy/job/cut_vector.h"
#include "ivy/job/text_pool.h"

namespace ivy {
namespace {

TEST(Admission, AllPlacesOrNoneAndFreeAgain) {
  common::Metrics metrics;
  Admission admission(4, metrics.Gauge("g", "h"));
  std::optional<Permit> three = admission.TryAcquire(3);
  EXPECT_TRUE(three);
  EXPECT_FALSE(admission.TryAcquire(2));
  {
    std::optional<Permit> one = admission.TryAcquire(1);
    EXPECT_TRUE(one);
    EXPECT_FALSE(admission.TryAcquire(1));
  }
  EXPECT_TRUE(admission.TryAcquire(1));
  const Permit moved = *std::move(three);
  EXPECT_FALSE(admission.TryAcquire(2));
}

TEST(CutVector, Bug53_WholeVectorIsCopiedBitForBit) {
  const std::vector<float> vector = {0.1F, -2, 3e-30F};
  std::vector<float> out(3);
  CutVector(vector, /*normalize=*/true, out);
  EXPECT_EQ(out, vector);
}

TEST(CutVector, CutIsBroughtBackToLengthOne) {
  const std::vector<float> vector = {0.3F, 0.4F, 0.86F};
  std::vector<float> out(2);
  CutVector(vector, true, out);
  EXPECT_FLOAT_EQ(out[0], 0.6F);
  EXPECT_FLOAT_EQ(out[1], 0.8F);
  CutVector(vector, false, out);
  EXPECT_EQ(out, (std::vector<float>{0.3F, 0.4F}));
}

TEST(CutVector, Bug42_ZeroStaysZero) {
  std::vector<float> out(2);
  CutVector(std::vector<float>{0, 0, 1}, true, out);
  EXPECT_EQ(out, (std::vector<float>{0, 0}));
}

TEST(TextPool, Bug15_ShortStepsRunWhileLongOnesHoldTheRest) {
  TextPool pool(2, 100);
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(pool.Submit(TextPool::Lane::kLong, [released] { released.wait(); }));
  }
  std::promise<void> ran;
  ASSERT_TRUE(pool.Submit(TextPool::Lane::kShort, [&] { ran.set_value(); }));
  ran.get_future().wait();
  release.set_value();
}

TEST(TextPool, RefusesBeyondItsBoundButContinues) {
  TextPool pool(2, 3);
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::atomic<int> started{0};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(pool.Submit(TextPool::Lane::kShort, [&started, released] {
      ++started;
      released.wait();
    }));
  }
  while (started < 2) std::this_thread::yield();
  std::atomic<int> ran{0};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pool.Submit(TextPool::Lane::kShort, [&] { ++ran; }));
  EXPECT_FALSE(pool.Submit(TextPool::Lane::kShort, [&] { ++ran; }));
  pool.Continue(TextPool::Lane::kLong, [&] { ++ran; });
  release.set_value();
  while (ran < 4) std::this_thread::yield();
}

TEST(TextPool, Bug63_ThrowingStepEndsAlone) {
  TextPool pool(2, 10);
  std::promise<void> ran;
  pool.Submit(TextPool::Lane::kShort, [] { throw std::runtime_error("as a test"); });
  pool.Submit(TextPool::Lane::kShort, [] { throw std::runtime_error("as a test"); });
  pool.Submit(TextPool::Lane::kShort, [] { throw std::runtime_error("as a test"); });
  pool.Submit(TextPool::Lane::kShort, [&] { ran.set_value(); });
  ran.get_future().wait();
}

TEST(TextPool, StoppedPoolDropsWork) {
  TextPool pool(2, 10);
  pool.Stop();
  const auto held = std::make_shared<int>(1);
  EXPECT_FALSE(pool.Submit(TextPool::Lane::kShort, [held] {}));
  pool.Continue(TextPool::Lane::kShort, [held] {});
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace ivy
