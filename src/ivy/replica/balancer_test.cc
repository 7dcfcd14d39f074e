#include "ivy/replica/balancer.h"

#include <gtest/gtest.h>

#include <map>

namespace ivy {
namespace {

using common::TimePoint;
using std::chrono::milliseconds;
using std::chrono::seconds;
using State = Balancer::State;

class BalancerTest : public ::testing::Test {
 protected:
  void Make(int replicas, BalancerOptions options = {}) {
    balancer_.emplace(options, std::mt19937_64(1));
    for (int i = 0; i < replicas; ++i) balancer_->SetUp(balancer_->Add(), BatchCurve());
  }
  Balancer::Assignment Assign(int64_t tokens, Balancer::Wish wish = {}) {
    const auto assignment = balancer_->Assign(tokens, now_, wish);
    EXPECT_TRUE(assignment);
    return assignment.value_or(Balancer::Assignment());
  }
  /// Fails the next chunk that `slot` gets; others end well.
  bool FailOnce(Balancer::Slot slot) {
    while (true) {
      const Balancer::Assignment assignment = Assign(1);
      if (assignment.slot == slot) return balancer_->Fail(assignment, now_);
      balancer_->Succeed(assignment, 0, now_);
    }
  }
  /// Chunks of a token, each ended at once, by replica.
  std::map<Balancer::Slot, int> Deal(int chunks) {
    std::map<Balancer::Slot, int> dealt;
    for (int i = 0; i < chunks; ++i) {
      const Balancer::Assignment assignment = Assign(1);
      ++dealt[assignment.slot];
      balancer_->Drop(assignment);
    }
    return dealt;
  }

  TimePoint now_ = TimePoint(seconds(100));
  std::optional<Balancer> balancer_;
};

TEST_F(BalancerTest, NobodyServes) {
  Make(0);
  EXPECT_FALSE(balancer_->Assign(1, now_));
  const Balancer::Slot slot = balancer_->Add();
  EXPECT_FALSE(balancer_->Assign(1, now_));
  balancer_->SetUp(slot, BatchCurve());
  EXPECT_EQ(Assign(1).slot, slot);
}

TEST_F(BalancerTest, OfTwoTheOneWithFewerTokens) {
  Make(2);
  const Balancer::Slot busy = Assign(100).slot;
  for (int i = 0; i < 9; ++i) EXPECT_NE(Assign(10).slot, busy);
}

TEST_F(BalancerTest, FullyLoadedReplicaIsNeverChosenAmongTwo) {
  Make(10);
  const Balancer::Slot busy = Assign(1'000'000).slot;
  EXPECT_EQ(Deal(1000)[busy], 0);
}

TEST_F(BalancerTest, IdleReplicasShareEvenly) {
  Make(10);
  for (const auto& [slot, chunks] : Deal(10'000)) {
    EXPECT_NEAR(chunks, 1000, 150) << slot;
  }
}

TEST_F(BalancerTest, WhatOthersHaveQueuedCountsAndFades) {
  Make(2);
  const Balancer::Assignment told = Assign(1);
  balancer_->Succeed(told, 5000, now_);
  EXPECT_EQ(Deal(100)[told.slot], 0);
  now_ += seconds(10);
  EXPECT_NEAR(Deal(1000)[told.slot], 500, 100);
}

TEST_F(BalancerTest, OwnTokensInWhatIsToldAreNotCountedTwice) {
  Make(1);
  const Balancer::Assignment first = Assign(100);
  const Balancer::Assignment second = Assign(300);
  balancer_->Succeed(first, 300, now_);
  EXPECT_EQ(balancer_->outstanding_tokens(0), 300);
  balancer_->Drop(second);
  EXPECT_EQ(Assign(7).expected_us, 7);
}

TEST_F(BalancerTest, TheCurveTellsTheSpeed) {
  balancer_.emplace(BalancerOptions(), std::mt19937_64(1));
  const Balancer::Slot slow = balancer_->Add();
  const Balancer::Slot quick = balancer_->Add();
  balancer_->SetUp(slow, BatchCurve({{10, 1000}, {100, 10'000}}));
  balancer_->SetUp(quick, BatchCurve({{10, 100}, {100, 1000}}));
  int64_t of_slow = 0;
  for (int i = 0; i < 110; ++i) of_slow += Assign(10).slot == slow ? 10 : 0;
  EXPECT_NEAR(static_cast<double>(of_slow), 100, 10);
}

TEST_F(BalancerTest, TwoEnginesGetTwiceAsMuch) {
  Make(1);
  const Balancer::Slot two = balancer_->Add();
  balancer_->SetUp(two, BatchCurve(), 2);
  EXPECT_EQ(balancer_->live_engines(), 3);
  std::map<Balancer::Slot, int> chunks;
  for (int i = 0; i < 300; ++i) ++chunks[Assign(10).slot];
  EXPECT_NEAR(chunks[two], 200, 2);
  balancer_->SetUp(two, BatchCurve(), 4);  // It was started anew, unnoticed.
  EXPECT_EQ(balancer_->live_engines(), 5);
  balancer_->SetDown(two);
  EXPECT_EQ(balancer_->live_engines(), 1);
  EXPECT_EQ(balancer_->serving(), 1);
}

TEST_F(BalancerTest, SlowReplicaGetsLessAndIsTriedAgain) {
  Make(2);
  for (int i = 0; i < 200; ++i) {
    const Balancer::Assignment a = Assign(1000);
    now_ += milliseconds(a.slot == 0 ? 20 : 1);
    balancer_->Succeed(a, 0, now_);
  }
  EXPECT_EQ(Deal(100)[0], 0);
  now_ += seconds(300);
  EXPECT_GT(Deal(100)[0], 20);
}

TEST_F(BalancerTest, FailuresInARowEject) {
  Make(4);
  EXPECT_FALSE(FailOnce(2));
  EXPECT_FALSE(FailOnce(2));
  EXPECT_TRUE(FailOnce(2));
  EXPECT_EQ(balancer_->state(2), State::kEjected);
  EXPECT_EQ(balancer_->live_engines(), 3);
  EXPECT_EQ(balancer_->serving(), 4);
  EXPECT_EQ(Deal(1000)[2], 0);
}

TEST_F(BalancerTest, ASuccessBetweenThemDoesNot) {
  Make(2);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(FailOnce(1));
    EXPECT_FALSE(FailOnce(1));
    while (true) {
      const Balancer::Assignment assignment = Assign(1);
      balancer_->Succeed(assignment, 0, now_);
      if (assignment.slot == 1) break;
    }
  }
}

TEST_F(BalancerTest, BackOnProbationWithOneChunkAtATime) {
  Make(2);
  for (int i = 0; i < 3; ++i) FailOnce(0);
  now_ += seconds(1);
  std::vector<Balancer::Assignment> sent;
  for (int i = 0; i < 50; ++i) sent.push_back(Assign(1));
  EXPECT_EQ(balancer_->state(0), State::kProbation);
  EXPECT_EQ(balancer_->outstanding_tokens(0), 1);
  for (const Balancer::Assignment& assignment : sent) balancer_->Succeed(assignment, 0, now_);
  EXPECT_EQ(balancer_->state(0), State::kLive);
}

TEST_F(BalancerTest, EachEjectionTakesTwiceAsLong) {
  Make(2);
  for (int i = 0; i < 3; ++i) FailOnce(0);
  for (const int wait : {1, 2, 4, 8, 16, 32, 60, 60}) {
    now_ += seconds(wait) - milliseconds(1);
    EXPECT_EQ(Deal(20)[0], 0) << wait;
    now_ += milliseconds(1);
    EXPECT_TRUE(FailOnce(0)) << wait;  // One is enough on probation.
  }
}

TEST_F(BalancerTest, GoodTimesForgiveEjections) {
  Make(2);
  for (int i = 0; i < 3; ++i) FailOnce(0);
  now_ += seconds(1);
  FailOnce(0);
  for (int i = 0; i < 10; ++i) {
    now_ += seconds(5);
    for (int j = 0; j < 50; ++j) balancer_->Succeed(Assign(1), 0, now_);
  }
  for (int i = 0; i < 3; ++i) FailOnce(0);
  now_ += seconds(1);
  EXPECT_GT(Deal(100)[0], 0);
}

TEST_F(BalancerTest, NoMoreThanHalfAreEjected) {
  Make(5);
  for (int i = 0; i < 1000; ++i) balancer_->Fail(Assign(1), now_);
  EXPECT_EQ(balancer_->live_engines(), 3);
  Make(1);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(balancer_->Fail(Assign(1), now_));
}

TEST_F(BalancerTest, EjectedOnesAreBetterThanNone) {
  Make(2);
  for (int i = 0; i < 3; ++i) FailOnce(0);
  balancer_->SetDown(1);
  EXPECT_EQ(Assign(1).slot, 0);
  EXPECT_EQ(Assign(1).slot, 0);
}

TEST_F(BalancerTest, FullQueuesAreLeftInPeaceForAWhile) {
  Make(3);
  const Balancer::Assignment full = Assign(1);
  balancer_->Refuse(full, now_);
  EXPECT_EQ(Deal(100)[full.slot], 0);
  now_ += milliseconds(100);
  EXPECT_GT(Deal(100)[full.slot], 10);
  for (int i = 0; i < 3; ++i) balancer_->Refuse(Assign(1), now_);
  EXPECT_FALSE(balancer_->Assign(1, now_, {.room = true}));
  EXPECT_TRUE(balancer_->Assign(1, now_));
}

TEST_F(BalancerTest, ExceptOne) {
  Make(2);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Assign(1, {.except = 0}).slot, 1);
  Make(1);
  EXPECT_FALSE(balancer_->Assign(1, now_, {.except = 0}));
}

TEST_F(BalancerTest, WhoGoesDownGetsNothingAndEndsWhatItHas) {
  Make(2);
  const Balancer::Assignment first = Assign(1);
  balancer_->SetDown(first.slot);
  EXPECT_EQ(Deal(50)[first.slot], 0);
  balancer_->Succeed(first, 0, now_);
  balancer_->Remove(first.slot);
  EXPECT_EQ(balancer_->Add(), first.slot);
  EXPECT_EQ(balancer_->state(first.slot), State::kDown);
}

TEST_F(BalancerTest, AnEjectionOutlastsADrop) {
  Make(2);
  for (int i = 0; i < 3; ++i) FailOnce(0);
  balancer_->SetDown(0);
  balancer_->SetUp(0, BatchCurve());
  EXPECT_EQ(balancer_->state(0), State::kEjected);
  now_ += seconds(1);
  EXPECT_GT(Deal(50)[0], 0);
}

TEST_F(BalancerTest, TheSameSeedDecidesTheSame) {
  std::vector<int> decisions[2];
  for (auto& made : decisions) {
    Make(20);
    for (int i = 0; i < 200; ++i) made.push_back(Assign(1 + i % 7).slot);
  }
  EXPECT_EQ(decisions[0], decisions[1]);
}

TEST(BatchCurve, LinesBetweenPointsAndStepsBeyond) {
  const BatchCurve curve({{32, 660}, {128, 1044}, {512, 1428}});
  EXPECT_DOUBLE_EQ(curve.Microseconds(32), 660);
  EXPECT_DOUBLE_EQ(curve.Microseconds(80), 852);
  EXPECT_DOUBLE_EQ(curve.Microseconds(320), 1236);
  EXPECT_DOUBLE_EQ(curve.Microseconds(512), 1428);
  EXPECT_DOUBLE_EQ(curve.Microseconds(1024), 2856);
  EXPECT_DOUBLE_EQ(curve.Microseconds(8), 564);
}

TEST(BatchCurve, WhateverIsToldItRises) {
  const BatchCurve curve({{0, 5}, {10, 100}, {10, 7}, {20, 50}, {15, 500}, {40, -3}, {50, 200}});
  double last = 0;
  for (int tokens = 0; tokens < 200; ++tokens) {
    EXPECT_GE(curve.Microseconds(tokens), last) << tokens;
    last = curve.Microseconds(tokens);
  }
  EXPECT_DOUBLE_EQ(BatchCurve({{10, 100}}).Microseconds(5), 50);
  EXPECT_DOUBLE_EQ(BatchCurve().Microseconds(5), 5);
}

}  // namespace
}  // namespace ivy
