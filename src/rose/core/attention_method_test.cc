#include "rose/core/attention_method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rose {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ParseAttention, ReadsWhatNamesSay) {
  for (const auto method :
       {AttentionMethod::kSimple, AttentionMethod::kFa2, AttentionMethod::kFa3,
        AttentionMethod::kFa4, AttentionMethod::kCudnn, AttentionMethod::kShort}) {
    EXPECT_EQ(*ParseAttention(AttentionMethodName(method)), method);
  }
  EXPECT_EQ(AttentionMethodName(AttentionMethod::kCudnn), "cudnn");
  EXPECT_EQ(*ParseAttention("auto"), std::nullopt);
}

TEST(ParseAttention, AnUnknownNameIsRefused) {
  EXPECT_THAT(std::string(ParseAttention("fa9").status().message()),
              AllOf(HasSubstr("--attention: expected one of auto, simple, "),
                    HasSubstr(", short, got \"fa9\"")));
}

}  // namespace
}  // namespace rose
