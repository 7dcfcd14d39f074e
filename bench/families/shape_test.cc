#include "bench/families/shape.h"

#include <gmock/gmock.h>

namespace bench {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Lt;
using testing::SizeIs;

TEST(ParseShape, ReadsSequencesAndTheirLength) {
  const auto shape = ParseShape("32x128");
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->sequences, 32);
  EXPECT_EQ(shape->length, 128);
  EXPECT_EQ(shape->name(), "32x128");
}

TEST(ParseShape, RefusesOtherTexts) {
  for (const char* text : {"", "x", "32", "32x", "x128", "0x128", "32x-1", "32x128x2", "3 x 4"}) {
    const auto shape = ParseShape(text);
    ASSERT_FALSE(shape.ok()) << text;
    EXPECT_THAT(std::string(shape.status().message()),
                AllOf(HasSubstr("--shape"), HasSubstr(text)));
  }
}

TEST(FilledBatch, HoldsWholeSequencesOfKnownWords) {
  const FilledBatch batch({.sequences = 2, .length = 3}, 10);
  EXPECT_THAT(batch.view().ids, AllOf(SizeIs(6), Each(AllOf(Ge(0), Lt(10)))));
  EXPECT_THAT(batch.view().cu_seqlens, ElementsAre(0, 3, 6));
  EXPECT_THAT(batch.view().normalize, ElementsAre(1, 1));
}

}  // namespace
}  // namespace bench
