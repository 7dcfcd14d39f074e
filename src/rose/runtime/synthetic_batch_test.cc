#include "rose/runtime/synthetic_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace rose {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(SyntheticBatch, RepeatsLengthsAndCutsTheLast) {
  constexpr std::array<int64_t, 2> kLengths = {4, 7};
  const SyntheticBatch synthetic(17, kLengths, 5);
  const Batch batch = synthetic.view(hub::Output::kScores);
  EXPECT_THAT(batch.cu_seqlens, ElementsAre(0, 4, 11, 15, 17));
  EXPECT_EQ(batch.tokens(), 17);
  EXPECT_EQ(batch.normalize.size(), 4U);
  EXPECT_THAT(batch.ids, Each(testing::AllOf(testing::Ge(0), testing::Lt(5))));
  EXPECT_TRUE(batch.outputs == hub::Outputs(hub::Output::kScores));
}

TEST(SyntheticBatch, IsOneSequenceOfZeros) {
  const SyntheticBatch synthetic(6);
  const Batch batch = synthetic.view(hub::Output::kDense);
  EXPECT_THAT(batch.cu_seqlens, ElementsAre(0, 6));
  EXPECT_THAT(batch.ids, ElementsAre(0, 0, 0, 0, 0, 0));
}

}  // namespace
}  // namespace rose
