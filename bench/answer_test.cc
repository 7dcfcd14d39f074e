#include "bench/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace bench {
namespace {

using testing::HasSubstr;

TEST(ReadAnswer, CountsRowsDimensionsAndTokens) {
  const absl::StatusOr<AnswerShape> shape =
      ReadAnswer(R"({"object":"list","data":[)"
                 R"({"object":"embedding","index":0,"embedding":"AACAPwAAAAA="},)"
                 R"({"object":"embedding","index":1,"embedding":"AAAAAAAAgD8="}],)"
                 R"("model":"m","usage":{"prompt_tokens":12,"total_tokens":12}})");
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(shape->rows, 2);
  EXPECT_EQ(shape->dimensions, 2);
  EXPECT_EQ(shape->tokens, 12);
}

TEST(ReadAnswer, TakesAnyPaddingAndSpacing) {
  const struct {
    const char* body;
    int dimensions;
  } kCases[] = {
      {R"({"data": [{"embedding" : "AACAPw=="}]})", 1},
      {R"({"data": [{"embedding": "AACAPwAAAAA="}]})", 2},
      {R"({"data": [{"embedding":
          "AACAPwAAAAAAAAAA", "object": "embedding"}]})",
       3},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<AnswerShape> shape = ReadAnswer(c.body);
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(shape->rows, 1);
    EXPECT_EQ(shape->dimensions, c.dimensions);
    EXPECT_EQ(shape->tokens, 0);
  }
}

TEST(ReadAnswer, FindsNoRowsWhereThereAreNone) {
  for (const char* body : {"", "{}", R"({"data":[],"object":"embedding"})"}) {
    const absl::StatusOr<AnswerShape> shape = ReadAnswer(body);
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(shape->rows, 0);
  }
}

TEST(ReadAnswer, NamesTheRowThatIsNoVector) {
  const struct {
    const char* second;
    const char* cause;
  } kCases[] = {
      {"[0.5,0.5]", "row 1: expected float32 values in base64, got [0.5,0.5]"},
      {R"("AACAPw")", "row 1: expected float32 values in base64"},
      {R"("")", "row 1: expected float32 values in base64"},
      {R"("AACAPwAAAA)", "row 1: expected float32 values in base64"},
      {R"("AAAA")", "row 1: expected float32 values in base64"},
      {R"("AACAPw==")", "row 1: 1 dimensions, the rows before have 2"},
  };
  for (const auto& c : kCases) {
    const std::string body =
        std::string(R"([{"embedding":"AACAPwAAAAA="},{"embedding":)") + c.second;
    EXPECT_THAT(std::string(ReadAnswer(body).status().message()), HasSubstr(c.cause));
  }
}

}  // namespace
}  // namespace bench
