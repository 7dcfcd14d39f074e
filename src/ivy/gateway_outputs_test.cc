#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using hub::Output;
using nlohmann::json;
using ::testing::HasSubstr;

std::vector<int32_t> IdsOf(const std::vector<std::string>& words) {
  std::vector<int32_t> ids = {1};
  for (const std::string& word : words) ids.push_back(FakeTokenizer::IdOf(word));
  ids.push_back(2);
  return ids;
}

/// Its numbers as the floats that they stand for.
json InFloats(json value) {
  for (json& item : value) {
    if (item.is_number_float()) item = item.get<float>();
    if (item.is_structured()) item = InFloats(std::move(item));
  }
  return value;
}

json SparseOf(const std::vector<int32_t>& ids) {
  json list = json::array();
  for (const auto& [id, weight] : FakeClient::WeightsOf(ids)) {
    list.push_back({{"index", id}, {"value", weight}});
  }
  return list;
}

/// Rows of `columns` numbers.
json RowsOf(const std::vector<float>& values, std::size_t columns) {
  json rows = json::array();
  for (std::size_t i = 0; i < values.size(); i += columns) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i);
    rows.push_back(std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(columns)));
  }
  return rows;
}

class Outputs : public GatewayTest {
 protected:
  void GiveAll() {
    model.Give(hub::Outputs(Output::kDense) | Output::kSparse | Output::kTokens | Output::kColbert);
    Start();
  }
};

TEST_F(Outputs, SparseVectorsInTeisShape) {
  GiveAll();
  const json answer = Call("/embed_sparse", {{"inputs", {"a b a", "@"}}});
  ASSERT_EQ(answer.size(), 2);
  EXPECT_EQ(answer[0].size(), 2);
  EXPECT_EQ(InFloats(answer[0]), SparseOf(IdsOf({"a", "b", "a"})));
  EXPECT_EQ(answer[1], json::array());
}

TEST_F(Outputs, VectorsOfAllTokens) {
  GiveAll();
  const json answer = Call("/embed_all", {{"inputs", {"a b", "c"}}, {"prompt_name", "query"}});
  ASSERT_EQ(answer.size(), 2);
  EXPECT_EQ(InFloats(answer[0]),
            RowsOf(FakeClient::RowsOf(IdsOf({"ask:", "now", "a", "b"}), 4), 4));
  EXPECT_EQ(answer[1].size(), 5);
}

TEST_F(Outputs, SeveralFromOnePass) {
  GiveAll();
  const json answer = Call("/v1/embeddings",
                           {{"input", {"a", "b c"}}, {"outputs", {"sparse", "dense", "colbert"}}});
  ASSERT_EQ(model.client.requests().size(), 1U);
  EXPECT_EQ(model.client.requests()[0].outputs,
            hub::Outputs(Output::kDense) | Output::kSparse | Output::kColbert);
  const std::vector<int32_t> ids = IdsOf({"b", "c"});
  const json& row = answer["data"][1];
  EXPECT_EQ(row["object"], "embedding");
  EXPECT_EQ(row["index"], 1);
  EXPECT_EQ(row["embedding"].get<std::vector<float>>(), model.client.VectorOf(ids));
  EXPECT_EQ(InFloats(row["sparse_embedding"]), SparseOf(ids));
  EXPECT_EQ(InFloats(row["colbert"]),
            RowsOf(FakeClient::RowsOf({ids.begin() + 1, ids.end()}, 2), 2));
  const json sparse = Call("/v1/embeddings", {{"input", "a"}, {"outputs", {"sparse"}}});
  EXPECT_FALSE(sparse["data"][0].contains("embedding"));
  EXPECT_FALSE(sparse["data"][0].contains("colbert"));
}

TEST_F(Outputs, ColbertVectorsInBase64) {
  GiveAll();
  const json answer = Call(
      "/v1/embeddings", {{"input", "a"}, {"outputs", {"colbert"}}, {"encoding_format", "base64"}});
  ASSERT_EQ(answer["data"][0]["colbert"].size(), 2);
  EXPECT_EQ(answer["data"][0]["colbert"][0].get<std::string>().size(), 12U);
}

TEST_F(Outputs, UnknownOnesAreRefusedWithThoseThereAre) {
  model.Give(hub::Outputs(Output::kDense) | Output::kSparse);
  Start();
  const std::tuple<json, const char*> cases[] = {
      {{"dense", "colbert"},
       "outputs[1]: \"colbert\" is no output of this model, which gives dense, sparse"},
      {{"tokens"}, "outputs[0]: \"tokens\" is no output"},
      {"dense", "outputs: expected a list of names, got a string"},
      {json::array(), "outputs: expected at least one item"},
      {{5}, "outputs[0]: expected a string, got a number"},
  };
  for (const auto& [outputs, message] : cases) {
    EXPECT_THAT(Refusal("/v1/embeddings", {{"input", "a"}, {"outputs", outputs}}, 400),
                HasSubstr(message));
  }
}

TEST_F(Outputs, FormsOfADenseVectorNeedOne) {
  GiveAll();
  for (const json& field : {json{{"dimensions", 4}}, json{{"output_dtype", "ubinary"}},
                            json{{"encoding_format", "base64_int8"}}}) {
    json body = field;
    body["input"] = "a";
    body["outputs"] = {"sparse"};
    EXPECT_THAT(Refusal("/v1/embeddings", body, 400),
                HasSubstr(field.begin().key() + ": no dense output was asked for"));
  }
}

TEST_F(Outputs, SparseModelServesNoDenseRoute) {
  model.Give(Output::kSparse);
  Start();
  EXPECT_THAT(Refusal("/embed", {{"inputs", "a"}}, 424),
              HasSubstr("gives no dense output: it is an embedding model, for /embed_sparse"));
  EXPECT_EQ(InFloats(Call("/invocations", {{"inputs", "a"}})[0]), SparseOf(IdsOf({"a"})));
}

TEST_F(Outputs, SimilarityIsTheCosineToTheSource) {
  Start();
  json body = {{"inputs", {{"source_sentence", "a"}, {"sentences", {"b", "a", "c d"}}}}};
  const auto cosines = Call("/similarity", body).get<std::vector<float>>();
  ASSERT_EQ(cosines.size(), 3U);
  EXPECT_NEAR(cosines[1], 1, 1e-6);
  const auto a = model.client.VectorOf(IdsOf({"a"})), b = model.client.VectorOf(IdsOf({"b"}));
  double dot = 0;
  for (std::size_t i = 0; i < a.size(); ++i) dot += double{a[i]} * b[i];
  EXPECT_EQ(cosines[0], static_cast<float>(dot));
  body["parameters"] = {{"prompt_name", "query"}};
  Call("/similarity", body);
  EXPECT_EQ(model.client.requests().back().prompt_lengths, (std::vector<int32_t>{3, 3, 3, 3}));
}

TEST_F(Outputs, SimilarityNamesWhatIsWrong) {
  Start();
  const std::tuple<const char*, int, const char*> cases[] = {
      {R"({})", 422, "inputs: missing"},
      {R"({"inputs":["a"]})", 422, "inputs: expected an object, got a list"},
      {R"({"inputs":{"sentences":["a"]}})", 422, "inputs.source_sentence: missing"},
      {R"({"inputs":{"source_sentence":"a"}})", 422, "inputs.sentences: missing"},
      {R"({"inputs":{"source_sentence":"","sentences":["a"]}})", 400,
       "inputs.source_sentence: exp"},
      {R"({"inputs":{"source_sentence":"a","sentences":[]}})", 400, "inputs.sentences: expected"},
      {R"({"inputs":{"source_sentence":"a","sentences":["b",5]}})", 422,
       "inputs.sentences[1]: exp"},
      {R"({"inputs":{"source_sentence":"a","sentences":["b"]},"parameters":{"truncate":1}})", 422,
       "truncate: expected true or false"},
  };
  for (const auto& [body, status, message] : cases) {
    EXPECT_THAT(Refusal("/similarity", json::parse(body), status), HasSubstr(message));
  }
}

// Bug 42: what `normalize` means, and what goes without it.
TEST_F(Outputs, Bug42_FloatsAreNormalisedWhereTheModelSaysSo) {
  model.folder.normalize = false;
  Start();
  const std::vector<int32_t> ids = IdsOf({"a"});
  const auto embedding = [&](json fields) {
    fields["input"] = "a";
    return Call("/v1/embeddings", fields)["data"][0]["embedding"].get<std::vector<float>>();
  };
  EXPECT_EQ(embedding(json::object()), model.client.VectorOf(ids, false));
  EXPECT_EQ(embedding({{"normalize", true}}), model.client.VectorOf(ids, true));
  EXPECT_EQ(Call("/embed", {{"inputs", "a"}})[0].get<std::vector<float>>(),
            model.client.VectorOf(ids, true));
  const json info = json::parse(Ask(Get("/info")).body);
  EXPECT_EQ(info["normalize"], false);
  EXPECT_EQ(info["quantization"], "none");
  EXPECT_EQ(info["outputs"], json({"dense"}));
}

TEST_F(Outputs, PromptsByNameAndFree) {
  Start();
  for (const std::string path : {"/v1/embeddings", "/embed"}) {
    const char* field = path == "/embed" ? "inputs" : "input";
    Call(path, {{field, "why"}, {"prompt_name", "query"}});
    EXPECT_EQ(model.client.requests().back().ids, IdsOf({"ask:", "now", "why"}));
    Call(path, {{field, "why"}, {"prompt", "oh "}});
    EXPECT_EQ(model.client.requests().back().ids, IdsOf({"oh", "why"}));
    EXPECT_EQ(model.client.requests().back().prompt_lengths, std::vector<int32_t>{2});
    const int status = path == "/embed" ? 422 : 400;
    EXPECT_THAT(Refusal(path, {{field, "a"}, {"prompt_name", "x"}}, status),
                HasSubstr("prompt_name: \"x\" is not a prompt of this model; known: empty, query"));
    EXPECT_THAT(Refusal(path, {{field, "a"}, {"prompt_name", "query"}, {"prompt", "x"}}, status),
                HasSubstr("prompt: does not go with prompt_name"));
    EXPECT_THAT(Refusal(path, {{field, {5, 6}}, {"prompt", "x"}}, status),
                HasSubstr(std::string(field) + ": token ids cannot take a prompt"));
  }
}

TEST_F(Outputs, DefaultPromptUnlessAskedOtherwise) {
  model.folder.default_prompt_name = "query";
  Start();
  Call("/v1/embeddings", {{"input", "why"}});
  EXPECT_EQ(model.client.requests().back().ids, IdsOf({"ask:", "now", "why"}));
  Call("/v1/embeddings", {{"input", "why"}, {"prompt", ""}});
  EXPECT_EQ(model.client.requests().back().ids, IdsOf({"why"}));
  Call("/v1/embeddings", {{"input", "why"}, {"prompt_name", "empty"}});
  EXPECT_EQ(model.client.requests().back().ids, IdsOf({"why"}));
  Call("/v1/embeddings", {{"input", {5, 6}}});
  EXPECT_EQ(model.client.requests().back().ids, (std::vector<int32_t>{5, 6}));
}

}  // namespace
}  // namespace ivy
