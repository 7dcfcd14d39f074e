#include "ivy/api/scores.h"

#include <gmock/gmock.h>

#include <cmath>

namespace ivy {
namespace {

using hub::ScoreActivation;
using ::testing::ElementsAre;

std::vector<float> Activated(ScoreActivation activation, std::vector<float> logits) {
  Activate(activation, logits);
  return logits;
}

TEST(Activate, Sigmoid) {
  EXPECT_THAT(Activated(ScoreActivation::kSigmoid, {0, 1e9F, -1e9F}), ElementsAre(0.5F, 1, 0));
  EXPECT_EQ(Activated(ScoreActivation::kSigmoid, {-1.44607484F})[0],
            static_cast<float>(1 / (1 + std::exp(1.44607484))));
}

TEST(Activate, SoftmaxOfLargeLogits) {
  EXPECT_THAT(Activated(ScoreActivation::kSoftmax, {1e30F, 1e30F}), ElementsAre(0.5F, 0.5F));
  const auto three = Activated(ScoreActivation::kSoftmax, {1.95585549F, 2.9048543F, 3.58876467F});
  EXPECT_NEAR(three[0], 0.114917867, 1e-7);
  EXPECT_NEAR(three[1], 0.296846896, 1e-7);
  EXPECT_NEAR(three[2], 0.588235199, 1e-7);
}

TEST(Activate, IdentityLeavesThemAlone) {
  EXPECT_THAT(Activated(ScoreActivation::kIdentity, {3, -4}), ElementsAre(3, -4));
}

// What the sigmoid makes equal keeps the order of its logits; below that it is exact to the last
// float, where a sigmoid in single precision would not be.
TEST(Activate, Bug35_WhereTheSigmoidSaturates) {
  const std::vector<float> logits = {9.527F, 9.53F, 30, 18, 40, 17};
  EXPECT_THAT(RankDescending(logits), ElementsAre(4, 2, 3, 5, 1, 0));
  const std::vector<float> scores = Activated(ScoreActivation::kSigmoid, logits);
  EXPECT_EQ(scores[0], static_cast<float>(1 / (1 + std::exp(-double{9.527F}))));
  EXPECT_LT(scores[0], scores[1]) << "a near duplicate above the duplicate, as the model says";
  EXPECT_LT(scores[1], 1);
  EXPECT_EQ(scores[2], 1);
  EXPECT_EQ(scores[3], 1);
}

// Bug 57: ties keep their order, every index comes once.
TEST(RankDescending, Bug57_TiesKeepTheirOrder) {
  EXPECT_THAT(RankDescending(std::vector<float>{1, 3, 1, -2, 3}), ElementsAre(1, 4, 0, 2, 3));
  EXPECT_TRUE(RankDescending({}).empty());
}

}  // namespace
}  // namespace ivy
