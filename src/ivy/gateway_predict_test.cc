#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Predict : public GatewayTest {
 protected:
  Predict() {
    model.Classify({"no", "yes", "maybe"}, hub::ScoreActivation::kSoftmax);
    Start();
  }

  json PredictionsOf(const json& inputs, bool raw_scores = false) {
    return Call("/predict", {{"inputs", inputs}, {"raw_scores", raw_scores}});
  }
  /// What a list of predictions should be.
  void ExpectPredictions(const json& predictions, const std::vector<int32_t>& ids, bool raw) {
    const std::vector<float> logits = model.client.LogitsOf(ids);
    ASSERT_EQ(predictions.size(), 3);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(double{logit});
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string label = predictions[i]["label"];
      const std::size_t index = label == "no" ? 0 : label == "yes" ? 1 : 2;
      const double expected = raw ? logits[index] : std::exp(double{logits[index]}) / sum;
      EXPECT_NEAR(predictions[i]["score"], expected, 1e-6);
      EXPECT_LE(predictions[i]["score"], predictions[i == 0 ? 0 : i - 1]["score"]);
    }
  }
  static std::vector<int32_t> IdsOf(const std::string& word) {
    return {1, FakeTokenizer::IdOf(word), 2};
  }
  static std::vector<int32_t> IdsOf(const std::string& first, const std::string& second) {
    return {1, FakeTokenizer::IdOf(first), 2, FakeTokenizer::IdOf(second), 2};
  }
};

TEST_F(Predict, OneTextInEitherForm) {
  ExpectPredictions(PredictionsOf("a"), IdsOf("a"), false);
  ExpectPredictions(PredictionsOf({"a"}), IdsOf("a"), false);
  ExpectPredictions(PredictionsOf("a", true), IdsOf("a"), true);
}

TEST_F(Predict, TwoStringsAreOnePair) {
  ExpectPredictions(PredictionsOf({"a", "b"}), IdsOf("a", "b"), false);
  ExpectPredictions(PredictionsOf({"a", ""}), {1, FakeTokenizer::IdOf("a"), 2, 2}, false);
}

TEST_F(Predict, ListOfTextsAndPairs) {
  const json answer = PredictionsOf(json::parse(R"([["a"],["a","b"],["c"]])"));
  ASSERT_EQ(answer.size(), 3);
  ExpectPredictions(answer[0], IdsOf("a"), false);
  ExpectPredictions(answer[1], IdsOf("a", "b"), false);
  ExpectPredictions(answer[2], IdsOf("c"), false);
  EXPECT_EQ(PredictionsOf(json::parse(R"([["a"]])")).size(), 1);
}

TEST_F(Predict, FaultsNameTheirPlace) {
  const std::tuple<const char*, int, const char*> cases[] = {
      {R"({})", 422, "inputs: missing"},
      {R"({"inputs":5})", 422, "inputs: expected a string, a list of one or two"},
      {R"({"inputs":""})", 400, "inputs: expected a string that is not empty"},
      {R"({"inputs":[]})", 400, "inputs: expected at least one item"},
      {R"({"inputs":[""]})", 400, "inputs[0]: expected a string that is not empty"},
      {R"({"inputs":["a","b","c"]})", 422, "inputs: expected one or two strings, got 3"},
      {R"({"inputs":["a",["b"]]})", 422, "inputs[1]: expected a string, got a list"},
      {R"({"inputs":[["a"],"b"]})", 422, "inputs[1]: expected a list of one or two strings"},
      {R"({"inputs":[["a"],[]]})", 400, "inputs[1]: expected one or two strings"},
      {R"({"inputs":[["a"],["b","c","d"]]})", 422, "inputs[1]: expected one or two strings, got 3"},
      {R"({"inputs":[["a",5]]})", 422, "inputs[0][1]: expected a string"},
      {R"({"inputs":[5]})", 422, "inputs[0]: expected a list of one or two strings"},
      {R"({"inputs":"a","raw_scores":"x"})", 422, "raw_scores: expected true or false"},
  };
  for (const auto& [body, status, message] : cases) {
    const Reply reply = Ask(Post("/predict", body));
    EXPECT_EQ(reply.status, status) << body;
    EXPECT_THAT(MessageOf(reply), HasSubstr(message));
  }
}

TEST_F(Predict, ClassifierIsNoEmbeddingModel) {
  const Reply reply = Ask(Post("/embed", R"({"inputs":"a"})"));
  EXPECT_EQ(reply.status, 424);
  EXPECT_EQ(json::parse(reply.body)["error_type"], "Backend");
  EXPECT_THAT(reply.body, HasSubstr("it is a classifier, for /predict"));
}

TEST_F(Predict, InvocationsFollowTheModel) {
  const Reply reply = Ask(Post("/invocations", R"({"inputs":"a"})"));
  ExpectPredictions(json::parse(reply.body), IdsOf("a"), false);
}

TEST_F(Predict, InfoNamesTheLabels) {
  const json info = json::parse(Ask(Get("/info")).body);
  EXPECT_EQ(info["model_type"]["classifier"]["id2label"]["2"], "maybe");
  EXPECT_EQ(info["model_type"]["classifier"]["label2id"]["yes"], 1);
  EXPECT_EQ(info["task"], "classify");
}

}  // namespace
}  // namespace ivy
