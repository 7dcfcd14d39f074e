#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <span>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// `FIELD` stands for the name of the inputs' field: "input" on OpenAI's route, "inputs" on TEI's.
struct BadInput {
  std::string body;
  int openai_status;
  int tei_status;
  std::string message;
  bool same_on_both = true;  ///< False: OpenAI's route only.
};

std::string Named(std::string text, const std::string& field) {
  for (std::size_t at; (at = text.find("FIELD")) != std::string::npos;) text.replace(at, 5, field);
  return text;
}

std::string ManyItems() {
  std::string body = R"({"FIELD":["a")";
  for (int i = 0; i < 64; ++i) body += R"(,"a")";
  return body + "]}";
}

const BadInput kMalformed[] = {
    {"", 400, 400, "body: expected a JSON object, got nothing"},
    {"nope", 400, 400, "body: not JSON, at byte"},
    {"[]", 400, 400, "body: expected a JSON object, got a list"},
    {"5", 400, 400, "body: expected a JSON object, got a number"},
    {R"({"FIELD":"a")", 400, 400, "not JSON"},
    {R"({"FIELD":["a","b"}])", 400, 400, "FIELD[2]: not JSON, at byte"},
    {R"({"FIELD":"a"} x)", 400, 400, "body: not JSON"},
    {R"({"FIELD":"a","x":nope})", 400, 400, "x: not JSON"},
    {R"({"FIELD":"a","x":1e999})", 400, 400, "not a number that fits 64 bits"},
    {R"({"FIELD":[123456789012345678901234567890]})", 400, 400, "not a number that fits 64 bits"},
    {std::string(5000, '['), 400, 400, "body"},
    {R"({"FIELD":)" + std::string(2000, '[') + std::string(2000, ']') + "}", 400, 400, "nested"},
    {"{\"FIELD\":[\"a\",\"b\xff\"]}", 400, 400, "FIELD[1]: not valid UTF-8"},
    {R"({"FIELD":"\x"})", 400, 400, "FIELD: not a string"},
};

/// In UTF-8 as in JSON's escapes.
const BadInput kLoneSurrogates[] = {
    {"{\"FIELD\":\"\xed\xa0\x80\"}", 400, 400, "FIELD: not valid UTF-8"},
    {R"({"FIELD":["a","\ud800"]})", 400, 400, "FIELD[1]: not a string (a bad escape or a lone"},
    {R"({"FIELD":"x\udc00y"})", 400, 400, "FIELD: not a string"},
    {R"({"FIELD":"\udc4d\ud83d"})", 400, 400, "FIELD: not a string"},
};

const BadInput kWrongTypes[] = {
    {"{}", 400, 422, "FIELD: missing"},
    {R"({"FIELD":null})", 400, 422, "FIELD: missing"},
    {R"({"FIELD":5})", 400, 422, "FIELD: expected a string, a list of strings"},
    {R"({"FIELD":{"a":1}})", 400, 422, "got an object"},
    {R"({"FIELD":true})", 400, 422, "got a boolean"},
    {R"({"FIELD":[true]})", 400, 422,
     "FIELD[0]: expected a string, a token id or a list of token ids, got a boolean"},
    {R"({"FIELD":[null]})", 400, 422,
     "FIELD[0]: expected a string, a token id or a list of token ids, got null"},
    {R"({"FIELD":[[1],null]})", 400, 422, "a list of token ids, got null"},
    {R"({"FIELD":["a",1]})", 400, 422, "FIELD[1]: expected a string"},
    {R"({"FIELD":["a","b","c",5]})", 400, 422, "FIELD[3]: expected a string"},
    {R"({"FIELD":[["a"]]})", 400, 422, "FIELD[0][0]: expected a token id, got a string"},
    {R"({"FIELD":[1,"a"]})", 400, 422, "FIELD[1]: expected a token id, got a string"},
    {R"({"FIELD":[[1,[2]]]})", 400, 422, "FIELD[0][1]: expected a token id, got a list"},
    {R"({"FIELD":["a",["b"]]})", 400, 422, "FIELD[1]: expected a string, got a list", false},
    {R"({"FIELD":["a",[1]]})", 400, 422, "FIELD[1]: expected a string, got a list", false},
    {R"({"FIELD":[[1],2]})", 400, 422, "FIELD[1]: expected"},
    {R"({"FIELD":[1.5]})", 400, 422, "FIELD[0]: expected a token id, got a number"},
};

const BadInput kNothingToEmbed[] = {
    {R"({"FIELD":""})", 400, 400, "FIELD: expected a string that is not empty"},
    {R"({"FIELD":["a","b","","d"]})", 400, 400, "FIELD[2]: expected a string that is not empty"},
    {R"({"FIELD":[]})", 400, 400, "FIELD: expected at least one item"},
    {R"({"FIELD":[[]]})", 400, 400, "FIELD[0]: expected at least one token id"},
    {R"({"FIELD":[[1],[]]})", 400, 400, "FIELD[1]: expected at least one token id"},
};

const BadInput kForeignIds[] = {
    {R"({"FIELD":[1,1000]})", 400, 422, "FIELD[1]: expected a token id from 0 to 999, got 1000"},
    {R"({"FIELD":[[5],[6,-1]]})", 400, 422, "FIELD[1][1]: expected a token id from 0 to 999"},
    {R"({"FIELD":[18446744073709551615]})", 400, 422, "FIELD[0]: expected a token id"},
};

const BadInput kDimensions[] = {
    {R"({"FIELD":"a","dimensions":0})", 400, 422, "dimensions: expected an integer from 1 to 8"},
    {R"({"FIELD":"a","dimensions":-1})", 400, 422, "dimensions: expected an integer from 1 to 8"},
    {R"({"FIELD":"a","dimensions":9})", 400, 422, "from 1 to 8, got 9"},
    {R"({"FIELD":"a","dimensions":99999999999})", 400, 422, "got 99999999999"},
    {R"({"FIELD":"a","dimensions":18446744073709551615})", 400, 422, "from 1 to 8, got more"},
    {R"({"FIELD":"a","dimensions":1.5})", 400, 422, "from 1 to 8, got a fraction"},
    {R"({"FIELD":"a","dimensions":"256"})", 400, 422, "dimensions: expected an integer"},
};

const BadInput kOptions[] = {
    {ManyItems(), 400, 422, "FIELD: 65 items, expected at most 64 (--max-client-batch-size)"},
    {R"({"FIELD":"a","normalize":1})", 400, 422, "normalize: expected true or false, got a number"},
    {R"({"FIELD":"a","model":5})", 400, 422, "model: expected a string, got a number"},
    {R"({"FIELD":"a","encoding_format":"hex"})", 400, 0, "encoding_format: expected", false},
    {R"({"FIELD":"a","encoding_format":1})", 400, 0, "encoding_format: expected a string", false},
    {R"({"FIELD":"a","user":1})", 400, 0, "user: expected a string, got a number", false},
    {R"({"FIELD":"a","truncate_prompt_tokens":17})", 400, 0, "from -1 to 16, got 17", false},
    {R"({"FIELD":"a","truncate_prompt_tokens":2})", 400, 0, "more than the 2 tokens", false},
    {R"({"FIELD":"a","truncation_side":"up"})", 400, 0, "truncation_side: expected", false},
};

class BadInputs : public GatewayTest {
 protected:
  void SetUp() override { Start(); }

  /// On OpenAI's route and on TEI's, where both have it; the model is asked nothing.
  void ExpectRefused(std::span<const BadInput> inputs) {
    TestClient client(gateway->port());  // One connection: none of them may spoil it.
    for (const BadInput& bad : inputs) {
      SCOPED_TRACE(bad.body.substr(0, 100));
      ExpectOpenAisError(client, bad);
      if (bad.same_on_both) ExpectTeisError(client, bad);
    }
    EXPECT_TRUE(model.client.requests().empty());
  }

 private:
  static void ExpectOpenAisError(TestClient& client, const BadInput& bad) {
    ASSERT_TRUE(client.Send(Post("/v1/embeddings", Named(bad.body, "input"))));
    const Reply reply = client.Read();
    EXPECT_EQ(reply.status, bad.openai_status);
    const json error = json::parse(reply.body)["error"];
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr(Named(bad.message, "input")));
    EXPECT_EQ(error["type"], "invalid_request_error");
    EXPECT_TRUE(error.contains("param") && error.contains("code"));
  }
  static void ExpectTeisError(TestClient& client, const BadInput& bad) {
    ASSERT_TRUE(client.Send(Post("/embed", Named(bad.body, "inputs"))));
    const Reply reply = client.Read();
    EXPECT_EQ(reply.status, bad.tei_status);
    const json answer = json::parse(reply.body);
    EXPECT_THAT(answer["error"].get<std::string>(), HasSubstr(Named(bad.message, "inputs")));
    const bool empty = bad.message.find("at least") != std::string::npos ||
                       bad.message.find("not empty") != std::string::npos;
    EXPECT_EQ(answer["error_type"], empty ? "Empty" : "Validation");
  }
};

TEST_F(BadInputs, MalformedBodies) { ExpectRefused(kMalformed); }

TEST_F(BadInputs, Bug14_LoneSurrogates) { ExpectRefused(kLoneSurrogates); }

TEST_F(BadInputs, Bug48_IdsOutsideTheVocabulary) { ExpectRefused(kForeignIds); }

TEST_F(BadInputs, Bug49_WrongTypesAreNamedWithTheirPlace) { ExpectRefused(kWrongTypes); }

TEST_F(BadInputs, Bug51_OneRuleForNothingAloneAndInAList) { ExpectRefused(kNothingToEmbed); }

TEST_F(BadInputs, Bug53_DimensionsOutOfRange) { ExpectRefused(kDimensions); }

TEST_F(BadInputs, BoundsAndOptions) { ExpectRefused(kOptions); }

TEST_F(BadInputs, TeisOwnOptions) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"inputs":"a","truncate":"yes"})", "truncate: expected true or false, got a string"},
      {R"({"inputs":"a","truncation_direction":"up"})", "truncation_direction: expected"},
      {R"({"inputs":"a","prompt_name":"nope"})",
       "is not a prompt of this model; known: empty, query"},
      {R"({"inputs":["a",[1]],"prompt_name":"query"})",
       "inputs[1]: token ids cannot take a prompt"},
  };
  for (const auto& [body, message] : cases) {
    const Reply reply = Ask(Post("/embed", body));
    EXPECT_EQ(reply.status, 422) << body;
    EXPECT_THAT(reply.body, HasSubstr(json(message).dump().substr(1, std::strlen(message))))
        << body;
  }
}

TEST_F(BadInputs, Bug52_WrongTextAmongManyIsNamedFromThePoolToo) {
  json texts = json::array();
  for (int i = 0; i < 60; ++i) texts.push_back(std::string(1000, 'a'));
  texts[41] = texts[57] = "a b c d e f g h i j k l m n o p q";
  const Reply reply = Ask(Post("/embed", json{{"inputs", texts}, {"truncate", false}}.dump()));
  EXPECT_EQ(reply.status, 422);
  EXPECT_THAT(reply.body, HasSubstr("inputs[41]: 19 tokens, expected at most 16"));
  EXPECT_TRUE(model.client.requests().empty());
}

class NamedModel : public GatewayTest {};

TEST_F(NamedModel, UnknownNameIs404AndListsTheKnownOnes) {
  options.api.any_model_name = false;
  Start();
  const Reply unknown = Ask(Post("/v1/embeddings", R"({"input":"a","model":"gpt"})"));
  EXPECT_EQ(unknown.status, 404);
  const json error = json::parse(unknown.body)["error"];
  EXPECT_EQ(error["message"], "model: \"gpt\" is not served here; known: alias, fake");
  EXPECT_EQ(error["code"], "model_not_found");
  EXPECT_EQ(error["param"], "model");
  for (const char* name : {R"("fake")", R"("alias")", "null"}) {
    EXPECT_EQ(
        Ask(Post("/v1/embeddings", fmt::format(R"({{"input":"a","model":{}}})", name))).status, 200)
        << name;
  }
}

TEST_F(NamedModel, LongNameIsQuotedUpToAWholeCharacter) {
  options.api.any_model_name = false;
  Start();
  std::string name = "x";  // so that byte 80 is inside a character
  for (int i = 0; i < 100; ++i) name += "é";
  const json body = {{"input", "a"}, {"model", name}};
  const json error = json::parse(Ask(Post("/v1/embeddings", body.dump())).body)["error"];
  EXPECT_THAT(error["message"].get<std::string>(),
              HasSubstr('"' + name.substr(0, 79) + "\" is not served"));
}

TEST_F(NamedModel, WithSeveralModelsOneMustBeNamed) {
  FakeModel other;
  ServedModel second = other.Served();
  second.name = "other";
  second.aliases.clear();
  Start({model.Served(), second});
  EXPECT_EQ(Ask(Post("/embed", R"({"inputs":"a"})")).status, 404);
  EXPECT_EQ(Ask(Post("/embed", R"({"inputs":"a","model":"other"})")).status, 200);
  EXPECT_EQ(other.client.requests().size(), 1U);
  gateway.reset();  // before `other`
}

class WithoutSpecialTokens : public GatewayTest {};

TEST_F(WithoutSpecialTokens, Bug50_TextWithoutTokensIsRefusedBeforeTheModel) {
  FakeTokenizer bare(/*special=*/false);
  ServedModel served = model.Served();
  served.tokenizer = &bare;
  Start({served});
  const Reply reply = Ask(Post("/v1/embeddings", R"({"input":["a"," "]})"));
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("input[1]: has no tokens for this model"));
  gateway.reset();
}

/// A short body can ask for a long text many times over.
TEST_F(GatewayTest, WhatStandsInFrontOfEachInputCounts) {
  options.server.limits.body_bytes_max = 50'000;
  Start();
  const std::string front(5000, 'p');
  const json inputs = std::vector<std::string>(30, "a");
  const auto expect_too_much = [&](const char* path, const json& body, const char* field) {
    EXPECT_THAT(Refusal(path, body, 413),
                AllOf(StartsWith(field), HasSubstr(" bytes of text, counting what stands in front"),
                      HasSubstr("at most 100000 (twice --payload-limit)")));
  };
  expect_too_much("/embed", {{"inputs", inputs}, {"prompt", front}}, "inputs: 150030");
  expect_too_much("/v1/embeddings", {{"input", inputs}, {"prompt", front}}, "input: 150030");
  const json few = std::vector<std::string>(19, "a");
  Call("/embed", {{"inputs", few}, {"prompt", front}});
}

TEST_F(GatewayTest, AQueryCountsForEachDocument) {
  options.server.limits.body_bytes_max = 50'000;
  model.Classify({"relevant"}, hub::ScoreActivation::kSigmoid);
  Start();
  const std::string query(5000, 'q');
  EXPECT_THAT(
      Refusal("/rerank", {{"query", query}, {"texts", std::vector<std::string>(30, "a")}}, 413),
      StartsWith("texts: 150030 bytes of text"));
}

}  // namespace
}  // namespace ivy
