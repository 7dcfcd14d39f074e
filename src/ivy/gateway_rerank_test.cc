#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The ids of a pair, word by word.
std::vector<int32_t> PairIds(const std::vector<std::string>& query,
                             const std::vector<std::string>& document) {
  std::vector<int32_t> ids = {1};
  for (const std::string& word : query) ids.push_back(FakeTokenizer::IdOf(word));
  ids.push_back(2);
  for (const std::string& word : document) ids.push_back(FakeTokenizer::IdOf(word));
  ids.push_back(2);
  return ids;
}

class Rerank : public GatewayTest {
 protected:
  Rerank() { model.Classify({"LABEL_0"}, hub::ScoreActivation::kSigmoid); }

  float Logit(const std::string& document) {
    return model.client.LogitsOf(PairIds({"q"}, {document}))[0];
  }
  float Sigmoid(const std::string& document) {
    return static_cast<float>(1 / (1 + std::exp(-double{Logit(document)})));
  }
};

// Bug 57: sorted from the best, each index once, ties as they were sent.
TEST_F(Rerank, Bug57_BestFirstWithItsIndexAndTiesInOrder) {
  Start();
  const json texts = {"w1", "w2", "w3", "w2", "w4", "w1"};
  const json ranks = Call("/rerank", {{"query", "q"}, {"texts", texts}});
  ASSERT_EQ(ranks.size(), 6);
  std::set<int> seen;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const int index = ranks[i]["index"];
    seen.insert(index);
    EXPECT_EQ(ranks[i]["score"].get<float>(), Sigmoid(texts[static_cast<std::size_t>(index)]));
    EXPECT_FALSE(ranks[i].contains("text"));
    if (i == 0) continue;
    EXPECT_LE(ranks[i]["score"], ranks[i - 1]["score"]);
    EXPECT_TRUE(ranks[i]["score"] < ranks[i - 1]["score"] || index > ranks[i - 1]["index"]);
  }
  EXPECT_EQ(seen.size(), 6U);
}

// Bug 59: logits as they are, or the activation once; the order is the same.
TEST_F(Rerank, Bug59_RawScoresAreTheLogits) {
  Start();
  const json body = {{"query", "q"}, {"texts", {"w1", "w2", "w3"}}, {"return_text", true}};
  json raw_body = body;
  raw_body["raw_scores"] = true;
  const json scores = Call("/rerank", body), raw = Call("/rerank", raw_body);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(raw[i]["index"], scores[i]["index"]);
    EXPECT_EQ(raw[i]["score"].get<float>(), Logit(raw[i]["text"]));
    EXPECT_EQ(scores[i]["score"].get<float>(), Sigmoid(raw[i]["text"]));
    EXPECT_EQ(raw[i]["text"], body["texts"][raw[i]["index"].get<std::size_t>()]);
  }
}

// Ten documents that the sigmoid makes score 1 stand in the order of their logits.
TEST_F(Rerank, Bug35_OrderOutlivesTheSigmoid) {
  model.client.logit_scale = 1000;
  Start();
  json texts = json::array();
  for (int i = 0; texts.size() < 10; ++i) {
    const std::string text = fmt::format("w{}", i);
    if (Logit(text) > 40) texts.push_back(text);
  }
  const json ranks = Call("/rerank", {{"query", "q"}, {"texts", texts}});
  ASSERT_EQ(ranks.size(), 10);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(ranks[i]["score"], 1);
    if (i == 0) continue;
    EXPECT_LE(Logit(texts[ranks[i]["index"].get<std::size_t>()]),
              Logit(texts[ranks[i - 1]["index"].get<std::size_t>()]));
  }
}

TEST_F(Rerank, Bug59_ModelThatAsksForLogitsGivesThem) {
  model.Classify({"LABEL_0"}, hub::ScoreActivation::kIdentity);
  Start();
  const json ranks = Call("/rerank", {{"query", "q"}, {"texts", {"w1"}}});
  EXPECT_EQ(ranks[0]["score"].get<float>(), Logit("w1"));
}

// Bug 58: null and more than there are mean all, the rest is refused; indices are those sent.
TEST_F(Rerank, Bug58_TopNAndAnEmptyDocument) {
  Start();
  json body = {{"query", "q"}, {"documents", {"w1", "", "w2"}}};
  for (const json& top_n : {json(), json(3), json(100)}) {
    body["top_n"] = top_n;
    EXPECT_EQ(Call("/v1/rerank", body)["results"].size(), 3) << top_n;
  }
  body["top_n"] = 2;
  const json all = Call("/rerank", {{"query", "q"}, {"texts", body["documents"]}});
  const json best = Call("/v1/rerank", body)["results"];
  ASSERT_EQ(best.size(), 2);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(best[i]["index"], all[i]["index"]);
    EXPECT_EQ(best[i]["relevance_score"], all[i]["score"]);
  }
  for (const json& wrong : {json(0), json(-1), json(1.5), json("2")}) {
    body["top_n"] = wrong;
    EXPECT_THAT(Refusal("/v1/rerank", body, 400), HasSubstr("top_n: expected an integer from 1"));
  }
}

TEST_F(Rerank, CoheresAndJinasShape) {
  Start();
  const json body = {
      {"model", "fake"}, {"query", "q"}, {"documents", {"w1", {{"text", "w2"}, {"id", 7}}}}};
  for (const std::string path : {"/v1/rerank", "/rerank", "/v2/rerank"}) {
    const json answer = Call(path, body);
    EXPECT_THAT(answer["id"].get<std::string>(), ::testing::StartsWith("rerank-"));
    EXPECT_EQ(answer["model"], "fake");
    EXPECT_EQ(answer["usage"], json::parse(R"({"prompt_tokens":10,"total_tokens":10})"));
    EXPECT_EQ(answer["meta"]["api_version"]["version"], path == "/v2/rerank" ? "2" : "1");
    ASSERT_EQ(answer["results"].size(), 2);
    for (const json& result : answer["results"]) {
      const std::string text = result["index"] == 0 ? "w1" : "w2";
      EXPECT_EQ(result["relevance_score"].get<float>(), Sigmoid(text));
      EXPECT_EQ(result.contains("document"), path != "/v2/rerank");
      EXPECT_EQ(result.value("document", json({{"text", text}})), json({{"text", text}}));
    }
  }
}

TEST_F(Rerank, DocumentsAreReturnedAsAskedAndAsTheyWereSent) {
  Start();
  const std::string odd = "w\n\"\\\u00e9\U0001F44D";
  json body = {{"query", "q"}, {"documents", {odd}}, {"return_documents", true}};
  EXPECT_EQ(Call("/v2/rerank", body)["results"][0]["document"]["text"], odd);
  body["return_documents"] = false;
  EXPECT_FALSE(Call("/v1/rerank", body)["results"][0].contains("document"));
  body["return_documents"] = nullptr;
  EXPECT_TRUE(Call("/v1/rerank", body)["results"][0].contains("document"));
}

// Segment ids reach the replica where the model has more than one type, and only there.
TEST_F(Rerank, OfEqualKeysOfADocumentTheLastCounts) {
  Start();
  const Reply reply =
      Ask(Post("/v1/rerank", R"({"query":"q","documents":[{"text":"w1","text":"w2"}]})"));
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(json::parse(reply.body)["results"][0]["document"]["text"], "w2");
}

TEST_F(Rerank, TypeIdsOfTheSecondText) {
  Start();
  const json body = {{"query", "q r"}, {"texts", {"a", "b c", ""}}};
  Call("/rerank", body);
  EXPECT_TRUE(model.client.requests().back().type_ids.empty());
  model.client.info().type_vocabulary_size = 2;
  Call("/rerank", body);
  const wire::InferenceRequest request = model.client.requests().back();
  EXPECT_EQ(request.outputs, hub::Outputs(hub::Output::kScores));
  EXPECT_THAT(request.lengths, ElementsAre(6, 7, 5));
  EXPECT_THAT(request.type_ids, ElementsAre(0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1));
}

// What only the replica tells is in every request: none is made before it has.
TEST_F(Rerank, NoJobBeforeAReplicaHasToldWhatItRuns) {
  model.client.expected = model.client.info();
  model.client.expected.saturation_tokens = 0;
  model.client.info().type_vocabulary_size = 2;
  model.client.ready = false;
  options.api.any_model_name = false;
  Start();
  const json body = {{"query", "q"},    {"texts", {"a", "b"}}, {"documents", {"a"}},
                     {"inputs", {"a"}}, {"input", "a"},        {"outputs", {"sparse"}}};
  for (const char* path :
       {"/v1/embeddings", "/embeddings", "/embed", "/embed_sparse", "/embed_all", "/similarity",
        "/predict", "/rerank", "/v1/rerank", "/v2/rerank", "/invocations"}) {
    EXPECT_EQ(Refusal(path, body, 503), "model fake: no replica serves it") << path;
  }
  EXPECT_EQ(Ask(Post("/v1/rerank", R"({"model":"other"})")).status, 404);
  EXPECT_EQ(Call("/tokenize", {{"inputs", "a b"}})[0].size(), 4);
  for (const char* path : {"/info", "/v1/models"}) EXPECT_EQ(Ask(Get(path)).status, 200) << path;
  EXPECT_TRUE(model.client.requests().empty());

  model.client.ready = true;
  const json ranks = Call("/rerank", {{"query", "q"}, {"texts", {"a"}}, {"raw_scores", true}});
  EXPECT_EQ(ranks[0]["score"].get<float>(), Logit("a"));
  EXPECT_THAT(model.client.requests().at(0).type_ids, ElementsAre(0, 0, 0, 1, 1));
}

TEST_F(Rerank, Bug23_PairIsCutLongestFirstFromTheSideAskedFor) {
  Start();
  std::string document;
  std::vector<std::string> head, tail;
  for (int i = 0; i < 30; ++i) {
    document += fmt::format("w{} ", i);
    if (i < 12) head.push_back(fmt::format("w{}", i));
    if (i >= 18) tail.push_back(fmt::format("w{}", i));
  }
  json body = {{"query", "q"}, {"texts", {document}}, {"raw_scores", true}};
  EXPECT_EQ(Call("/rerank", body)[0]["score"].get<float>(),
            model.client.LogitsOf(PairIds({"q"}, head))[0]);
  body["truncation_direction"] = "Left";
  EXPECT_EQ(Call("/rerank", body)[0]["score"].get<float>(),
            model.client.LogitsOf(PairIds({"q"}, tail))[0]);
  body["truncate"] = false;
  EXPECT_THAT(Refusal("/rerank", body, 422), HasSubstr("texts[0]: 34 tokens, expected at most 16"));
}

TEST_F(Rerank, FaultsNameTheirField) {
  Start();
  const std::tuple<const char*, const char*, int, const char*> cases[] = {
      {"/rerank", R"({})", 422, "query: missing"},
      {"/rerank", R"({"query":"q"})", 422, "texts: missing"},
      {"/rerank", R"({"query":5,"texts":["a"]})", 422, "query: expected a string, got a number"},
      {"/rerank", R"({"query":"q","texts":"a"})", 422, "texts: expected a list of strings"},
      {"/rerank", R"({"query":"q","texts":[]})", 400, "texts: expected at least one item"},
      {"/rerank", R"({"query":"q","texts":["a",{"text":"b"}]})", 422,
       "texts[1]: expected a string, got an object"},
      {"/rerank", R"({"query":"q","texts":["a"],"raw_scores":1})", 422, "raw_scores: expected"},
      {"/rerank", R"({"query":"q","texts":["a"],"return_text":"y"})", 422, "return_text: expected"},
      {"/rerank", R"({"query":"q","texts":["a"],"instruction":"x"})", 422,
       "instruction: this model takes none"},
      {"/v1/rerank", R"({"query":"q"})", 400, "documents: missing"},
      {"/v1/rerank", R"({"query":"q","documents":["a",5]})", 400,
       "documents[1]: expected a string"},
      {"/v1/rerank", R"({"query":"q","documents":[{"txt":"a"}]})", 400,
       "documents[0]: expected an object with"},
      {"/v1/rerank", R"({"query":"q","documents":[{"text":5}]})", 400,
       "documents[0].text: expected a string"},
      {"/v2/rerank", R"({"query":"q","documents":["a"],"return_documents":1})", 400,
       "return_documents: expected true or false"},
      {"/v1/rerank", R"({"query":"q","documents":["a"],"truncate_prompt_tokens":3})", 400,
       "more than the 3 tokens"},
      {"/v1/rerank", R"({"query":"q","documents":["a"],"model":5})", 400, "model: expected"},
  };
  for (const auto& [path, body, status, message] : cases) {
    const Reply reply = Ask(Post(path, body));
    EXPECT_EQ(reply.status, status) << body;
    EXPECT_THAT(MessageOf(reply), HasSubstr(message));
  }
  json many = {{"query", "q"}, {"texts", json::array()}};
  for (int i = 0; i < 65; ++i) many["texts"].push_back("a");
  EXPECT_THAT(Refusal("/rerank", many, 422), HasSubstr("texts: 65 items, expected at most 64"));
}

// Bug 43: a model of another kind is told so, on every route.
TEST_F(Rerank, Bug43_RoutesThatDoNotFitTheModel) {
  model.client.info().dimension = 0;
  Start();
  for (const char* path : {"/embed", "/embed_sparse", "/embed_all", "/similarity"}) {
    EXPECT_THAT(Refusal(path, {{"inputs", "a"}}, 424),
                HasSubstr("it is a reranker, for /rerank, /v1/rerank and /predict"));
  }
  const Reply reply = Ask(Post("/v1/embeddings", R"({"input":"a"})"));
  EXPECT_EQ(reply.status, 400);
  const json error = json::parse(reply.body)["error"];
  EXPECT_EQ(error["param"], "model");
  EXPECT_EQ(error["code"], "model_not_supported");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("fake gives no dense output"));
}

TEST_F(Rerank, Bug43_RerankingAsksForOneScore) {
  model.Classify({"a", "b"}, hub::ScoreActivation::kSoftmax);
  Start();
  EXPECT_THAT(Refusal("/rerank", {{"query", "q"}, {"texts", {"a"}}}, 424),
              HasSubstr("it is a classifier, for /predict"));
}

TEST_F(Rerank, InvocationsFollowTheModel) {
  Start();
  EXPECT_EQ(Call("/invocations", {{"query", "q"}, {"texts", {"a"}}})[0]["index"], 0);
}

TEST_F(Rerank, InfoTellsTheTask) {
  Start();
  const json info = json::parse(Ask(Get("/info")).body);
  EXPECT_EQ(info["model_type"],
            json::parse(R"({"reranker":{"id2label":{"0":"LABEL_0"},"label2id":{"LABEL_0":0}}})"));
  EXPECT_EQ(info["task"], "rerank");
  EXPECT_EQ(info["outputs"], json({"scores"}));
  EXPECT_EQ(info["activation"], "sigmoid");
  EXPECT_FALSE(info.contains("dimension"));
  const json entry = json::parse(Ask(Get("/v1/models")).body)["data"][0];
  EXPECT_EQ(entry["task"], "rerank");
  EXPECT_EQ(entry["labels"], json({"LABEL_0"}));
}

TEST_F(Rerank, LabelsAndScoresMustAgree) {
  model.client.info().labels = 2;
  const auto refused = Gateway::Create(options, {model.Served()}, metrics);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("the folder has 1 labels, the replica gives 2 scores"));
}

}  // namespace
}  // namespace ivy
