#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// /tokenize, /decode and /detokenize: no model runs.
class TextRoutes : public GatewayTest {
 protected:
  TextRoutes() { Start(); }
  ~TextRoutes() override { EXPECT_TRUE(model.client.requests().empty()); }

  static json Token(const std::string& text, int start, int stop) {
    return {{"id", FakeTokenizer::IdOf(text)},
            {"text", text},
            {"special", false},
            {"start", start},
            {"stop", stop}};
  }
  static json Special(int id, const std::string& text) {
    return {{"id", id}, {"text", text}, {"special", true}, {"start", nullptr}, {"stop", nullptr}};
  }
};

TEST_F(TextRoutes, Bug13_TeisTokensStandWhereTheyAreInCodePoints) {
  const json answer = Call("/tokenize", {{"inputs", {"h\u00e9 \U0001F44D ok", "x"}}});
  ASSERT_EQ(answer.size(), 2);
  EXPECT_EQ(answer[0], json({Special(1, "[CLS]"), Token("h\u00e9", 0, 2), Token("\U0001F44D", 3, 4),
                             Token("ok", 5, 7), Special(2, "[SEP]")}));
  EXPECT_EQ(Call("/tokenize", {{"inputs", "x"}}), json({answer[1]}));
}

TEST_F(TextRoutes, TeisOptions) {
  const json answer =
      Call("/tokenize", {{"inputs", "x"}, {"add_special_tokens", false}, {"prompt_name", "query"}});
  EXPECT_EQ(answer[0], json({Token("ask:", 0, 4), Token("now", 5, 8), Token("x", 9, 10)}));
}

TEST_F(TextRoutes, VllmsShape) {
  const json ids = {1, FakeTokenizer::IdOf("a"), FakeTokenizer::IdOf("b"), 2};
  EXPECT_EQ(Call("/tokenize", {{"prompt", "a b"}}),
            json({{"count", 4}, {"max_model_len", 16}, {"tokens", ids}, {"token_strs", nullptr}}));
  const json answer = Call(
      "/tokenize", {{"prompt", "a"}, {"add_special_tokens", false}, {"return_token_strs", true}});
  EXPECT_EQ(answer["count"], 1);
  EXPECT_EQ(answer["token_strs"][0], fmt::format("w{}", FakeTokenizer::IdOf("a")));
}

TEST_F(TextRoutes, IdsBecomeTextAgain) {
  EXPECT_EQ(Call("/decode", {{"ids", {1, 5, 6, 2}}}), json({"w5 w6"}));
  EXPECT_EQ(Call("/decode", {{"ids", {{1, 5}, {6}}}, {"skip_special_tokens", false}}),
            json({"[CLS] w5", "w6"}));
  EXPECT_EQ(Call("/detokenize", {{"tokens", {1, 5}}}), json({{"prompt", "[CLS] w5"}}));
}

TEST_F(TextRoutes, FaultsNameTheirField) {
  const std::string long_text = R"({"inputs":")" + std::string(5 << 20, 'a') + "\"}";
  json long_prompt = {{"inputs", std::vector<std::string>(64, "a")}};
  long_prompt["prompt"] = std::string(70'000, 'p');
  const std::tuple<const char*, std::string, int, const char*> cases[] = {
      {"/tokenize", "{}", 422, "inputs: missing"},
      {"/tokenize", R"({"messages":[]})", 422, "messages: chat templates are not supported"},
      {"/tokenize", R"({"inputs":["a",5]})", 422, "inputs[1]: expected a string"},
      {"/tokenize", R"({"inputs":[]})", 400, "inputs: expected at least one item"},
      {"/tokenize", R"({"inputs":"a","prompt_name":"x"})", 422, "prompt_name: \"x\" is not"},
      {"/tokenize", R"({"prompt":5})", 422, "prompt: expected a string"},
      {"/tokenize", R"({"inputs":"a","add_special_tokens":1})", 422,
       "add_special_tokens: expected"},
      {"/tokenize", long_text, 422, "inputs: expected at most 4194304 bytes of text"},
      {"/tokenize", long_prompt.dump(), 422, "prompts counted, got 4480064"},
      {"/decode", "{}", 422, "ids: missing"},
      {"/decode", R"({"ids":5})", 422, "ids: expected a list of token ids"},
      {"/decode", R"({"ids":[]})", 400, "ids: expected at least one token id"},
      {"/decode", R"({"ids":[[1],[1000]]})", 422, "ids[1][0]: expected a token id from 0 to 999"},
      {"/decode", R"({"ids":[[1],2]})", 422, "ids[1]: expected a list of token ids"},
      {"/detokenize", R"({"tokens":[-1]})", 400, "tokens[0]: expected a token id from 0 to 999"},
  };
  for (const auto& [path, body, status, message] : cases) {
    const Reply reply = Ask(Post(path, body));
    EXPECT_EQ(reply.status, status) << body.substr(0, 100);
    EXPECT_THAT(MessageOf(reply), HasSubstr(message));
  }
}

}  // namespace
}  // namespace ivy
