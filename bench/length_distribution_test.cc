#include "bench/length_distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace bench {
namespace {

using testing::HasSubstr;

TEST(LengthDistribution, DrawsLengthsAsOftenAsTheirWeightsSay) {
  const auto lengths =
      LengthDistribution::Parse("# tokens, weight\n\n10 1  # a query\r\n20 0\n\t30 2.5\n40 0.5");
  ASSERT_TRUE(lengths.ok()) << lengths.status();
  EXPECT_DOUBLE_EQ(lengths->mean(), (10 * 1 + 30 * 2.5 + 40 * 0.5) / 4);
  std::mt19937_64 random(1);
  std::map<int, int> drawn;
  for (int i = 0; i < 4000; ++i) ++drawn[lengths->Draw(random)];
  EXPECT_EQ(drawn.size(), 3u);
  EXPECT_NEAR(drawn[10], 1000, 100);  // The seed is fixed.
  EXPECT_NEAR(drawn[30], 2500, 100);
  EXPECT_NEAR(drawn[40], 500, 100);
}

TEST(LengthDistribution, NamesTheLineThatIsWrong) {
  for (const char* wrong : {"128", "128 1 2", "0 1", "-3 1", "1.5 1", "x 1", "128 -1", "128 nan",
                            "128 inf", "2000000 1"}) {
    const auto lengths = LengthDistribution::Parse(std::string("32 1\n") + wrong + "\n");
    EXPECT_THAT(std::string(lengths.status().message()),
                HasSubstr("line 2: expected TOKENS WEIGHT"))
        << wrong;
  }
}

TEST(LengthDistribution, NeedsAWeight) {
  for (const char* text : {"", "# nothing\n", "32 0\n", "1 1e308\n2 1e308\n"}) {
    EXPECT_FALSE(LengthDistribution::Parse(text).ok()) << text;
  }
}

TEST(LengthDistribution, NamesTheFile) {
  EXPECT_THAT(std::string(LengthDistribution::Read("/none/such").status().message()),
              HasSubstr("/none/such"));
}

}  // namespace
}  // namespace bench
