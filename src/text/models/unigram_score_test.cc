#include "text/models/unigram_score.h"

#include <gtest/gtest.h>

namespace text {
namespace {

// The library's own values, printed by its to_str() in shortest digits.
TEST(UnigramScoreTest, RoundsTwiceAsTheLibrary) {
  EXPECT_EQ(ScoreFromShortestDigits(-1.1476761765570527), -1.147676176557053);
  EXPECT_EQ(ScoreFromShortestDigits(-3.4635426998138428), -3.4635426998138428);
  EXPECT_EQ(ScoreFromShortestDigits(0.0), 0.0);
  EXPECT_EQ(ScoreFromShortestDigits(-5.0), -5.0);
  EXPECT_EQ(ScoreFromShortestDigits(1e22), 1e22);
  EXPECT_EQ(ScoreFromShortestDigits(1.5e-7), 1.5e-7);
  EXPECT_EQ(ScoreFromShortestDigits(5e-324), 5e-324);
}

}  // namespace
}  // namespace text
