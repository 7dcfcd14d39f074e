// What becomes of inputs over the model's limit of 16 tokens, on every route.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

struct Asked {
  const char* path;
  json body;
  int refusal;          ///< The status where truncation is off.
  const char* message;  ///< Both numbers, and the place.
};

class Truncation : public GatewayTest {
 protected:
  /// "w0 w1 … w29": 32 tokens with the special ones.
  static std::string LongText() {
    std::string text;
    for (int i = 0; i < 30; ++i) text += fmt::format("w{} ", i);
    return text;
  }
  /// The ids of the words `first` … `last` - 1.
  static std::vector<int32_t> Words(int first, int last) {
    std::vector<int32_t> ids = {1};
    for (int i = first; i < last; ++i) ids.push_back(FakeTokenizer::IdOf(fmt::format("w{}", i)));
    ids.push_back(2);
    return ids;
  }

  /// Routes of a model of vectors.
  static std::vector<Asked> OfVectors() {
    const json texts = {"a", LongText()};
    return {
        {"/v1/embeddings", {{"input", texts}}, 400, "input[1]: 32 tokens, expected at most 16"},
        {"/embeddings", {{"input", LongText()}}, 400, "input: 32 tokens, expected at most 16"},
        {"/embed", {{"inputs", texts}}, 422, "inputs[1]: 32 tokens, expected at most 16"},
        {"/embed_sparse", {{"inputs", texts}}, 422, "inputs[1]: 32 tokens, expected at most 16"},
        {"/embed_all", {{"inputs", texts}}, 422, "inputs[1]: 32 tokens, expected at most 16"},
        {"/invocations", {{"inputs", texts}}, 422, "inputs[1]: 32 tokens, expected at most 16"},
        {"/similarity",
         {{"inputs", {{"source_sentence", "a"}, {"sentences", texts}}}},
         422,
         "inputs.sentences[1]: 32 tokens, expected at most 16"},
        {"/embed",
         {{"inputs", json::array({json::array({5}), std::vector<int>(17, 5)})}},
         422,
         "inputs[1]: 17 tokens, expected at most 16"},
    };
  }
  /// Routes of a reranker.
  static std::vector<Asked> OfScores() {
    const json texts = {"a", LongText()};
    return {
        {"/rerank",
         {{"query", "q"}, {"texts", texts}},
         422,
         "texts[1]: 34 tokens, expected at most 16"},
        {"/v1/rerank",
         {{"query", "q"}, {"documents", texts}},
         400,
         "documents[1]: 34 tokens, expected at most 16"},
        {"/v2/rerank",
         {{"query", "q"}, {"documents", texts}},
         400,
         "documents[1]: 34 tokens, expected at most 16"},
        {"/predict",
         {{"inputs", json::array({json::array({"a"}), json::array({LongText()})})}},
         422,
         "inputs[1]: 32 tokens, expected at most 16"},
    };
  }

  void Expect(const std::vector<Asked>& routes) {
    Start();
    for (const Asked& asked : routes) {
      SCOPED_TRACE(asked.path);
      if (options.api.limits.auto_truncate) {
        Call(asked.path, asked.body);
      } else {
        EXPECT_THAT(Refusal(asked.path, asked.body, asked.refusal), HasSubstr(asked.message));
      }
    }
    EXPECT_EQ(model.client.requests().empty(), !options.api.limits.auto_truncate);
  }
};

class AutoTruncate : public Truncation, public ::testing::WithParamInterface<bool> {
 protected:
  AutoTruncate() { options.api.limits.auto_truncate = GetParam(); }
};

TEST_P(AutoTruncate, Bug19_HoldsOnEveryRouteThatEmbeds) {
  model.Give(hub::Outputs(hub::Output::kDense) | hub::Output::kSparse | hub::Output::kTokens);
  Expect(OfVectors());
}

TEST_P(AutoTruncate, Bug19_HoldsOnEveryRouteThatScores) {
  model.Classify({"LABEL_0"}, hub::ScoreActivation::kSigmoid);
  Expect(OfScores());
}

INSTANTIATE_TEST_SUITE_P(, AutoTruncate, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "On" : "Off"; });

TEST_F(Truncation, Bug24_TheTailIsKeptBetweenTheSpecialTokens) {
  Start();
  for (const char* side : {"left", "Left"}) {
    Call("/embed", {{"inputs", LongText()}, {"truncation_direction", side}});
    EXPECT_EQ(model.client.requests().back().ids, Words(16, 30));
  }
  for (const char* side : {"right", "Right"}) {
    Call("/embed", {{"inputs", LongText()}, {"truncation_direction", side}});
    EXPECT_EQ(model.client.requests().back().ids, Words(0, 14));
  }
  for (const char* other : {"LEFT", "up", ""}) {
    EXPECT_THAT(Refusal("/embed", {{"inputs", "a"}, {"truncation_direction", other}}, 422),
                HasSubstr("truncation_direction: expected"));
  }
}

// All of a request or nothing: one input too many tokens long stops its 31 neighbours, and counts
// as one failure.
TEST_F(Truncation, Bug52_OneLongTextAmongManyIsNamedAndNothingIsHalfDone) {
  Start();
  json texts = std::vector<std::string>(32, "a b");
  texts[19] = LongText();
  EXPECT_EQ(Refusal("/embed", {{"inputs", texts}, {"truncate", false}}, 422),
            "inputs[19]: 32 tokens, expected at most 16 (or truncation allowed)");
  EXPECT_TRUE(model.client.requests().empty());
  const std::string counted = metrics.Text();
  EXPECT_THAT(counted, HasSubstr("\nparterre_inputs_total 0\n"));
  EXPECT_THAT(counted, HasSubstr("\nparterre_tokens_total 0\n"));
  EXPECT_THAT(counted, HasSubstr("\nparterre_inputs_in_flight 0\n"));
  EXPECT_THAT(counted, HasSubstr("\nparterre_requests_failure_total{cause=\"too_long\","
                                 "route=\"/embed\"} 1\n"));
}

}  // namespace
}  // namespace ivy
