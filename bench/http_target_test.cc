#include "bench/http_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/served_target.h"

namespace bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Request TwoInputs() { return {.ids = {{1, 2}, {3}}, .tokens = {2, 1}}; }

TEST(HttpTarget, GivesTheVectorsOfAnAnswer) {
  const ServedTarget served(
      HttpAnswer(200, R"({"data":[{"embedding":"AACAPwAAAMA="},{"embedding":"AAAAPwAAAAA="}]})"));
  const auto vectors = served.target->Embed(TwoInputs());
  ASSERT_TRUE(vectors.ok()) << vectors.status();
  EXPECT_THAT(*vectors, ElementsAre(ElementsAre(1, -2), ElementsAre(0.5F, 0)));
}

TEST(HttpTarget, SaysWhatIsNoVector) {
  const struct {
    std::string answer;
    const char* cause;
  } kCases[] = {
      {HttpAnswer(404, "no such model"), "status 404: no such model"},
      {HttpAnswer(200, "{"), "no answer of /v1/embeddings"},
      {HttpAnswer(200, "{}"), "no answer of /v1/embeddings"},
      {HttpAnswer(200, R"({"data":[{"embedding":[1,2]}]})"), "no answer of /v1/embeddings"},
      {HttpAnswer(200, R"({"data":[{"embedding":"AAA="}]})"), "expected float32 values"},
      {HttpAnswer(200, R"({"data":[{"embedding":"?"}]})"), "expected float32 values"},
  };
  for (const auto& c : kCases) {
    const ServedTarget served(c.answer);
    EXPECT_THAT(std::string(served.target->Embed(TwoInputs()).status().message()),
                HasSubstr(c.cause));
  }
}

TEST(HttpTarget, HasANullTarget) {
  const HttpTarget target({.host = "127.0.0.1", .port = 1});
  const auto null = target.MakeNull(2, 3);
  ASSERT_TRUE(null.ok()) << null.status();
  const auto client = (*null)->Connect({TwoInputs()});
  ASSERT_TRUE(client.ok()) << client.status();
  const auto answer = (*client)->Send(0);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->rows, 2);
  EXPECT_EQ(answer->dimensions, 3);
}

}  // namespace
}  // namespace bench
