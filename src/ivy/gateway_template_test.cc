#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// A template of words: only the body is ever cut.
class Templated : public GatewayTest {
 protected:
  Templated() {
    model.Classify({"LABEL_0"}, hub::ScoreActivation::kSigmoid);
    model.folder.rerank_template = hub::RerankTemplate{.prefix = "pre",
                                                       .body =
                                                           "do {instruction} q {query} d "
                                                           "{document}",
                                                       .suffix = "suf fix",
                                                       .default_instruction = "rank"};
  }
  float LogitOf(const std::vector<std::string>& words) {
    std::vector<int32_t> ids;
    for (const std::string& word : words) ids.push_back(FakeTokenizer::IdOf(word));
    return model.client.LogitsOf(ids)[0];
  }
};

TEST_F(Templated, PrefixBodySuffix) {
  Start();
  json body = {{"query", "why"}, {"texts", {"so"}}, {"raw_scores", true}};
  EXPECT_EQ(Call("/rerank", body)[0]["score"].get<float>(),
            LogitOf({"pre", "do", "rank", "q", "why", "d", "so", "suf", "fix"}));
  for (const char* field : {"instruction", "instruct"}) {
    json asked = body;
    asked[field] = "sort";
    EXPECT_EQ(Call("/rerank", asked)[0]["score"].get<float>(),
              LogitOf({"pre", "do", "sort", "q", "why", "d", "so", "suf", "fix"}));
  }
}

TEST_F(Templated, Bug21_OnlyTheBodyIsCut) {
  Start();
  std::string document;
  for (int i = 0; i < 30; ++i) document += fmt::format("w{} ", i);
  json body = {{"query", "why"}, {"texts", {document}}, {"raw_scores", true}};
  EXPECT_EQ(Call("/rerank", body)[0]["score"].get<float>(),
            LogitOf({"pre", "do", "rank", "q", "why", "d", "w0", "w1", "w2", "w3", "w4", "w5", "w6",
                     "w7", "suf", "fix"}));
  body["truncation_direction"] = "left";
  const auto ids = model.client.requests().back().ids;
  EXPECT_EQ(ids.size(), 16U);
  Call("/rerank", body);
  EXPECT_EQ(model.client.requests().back().ids[1], FakeTokenizer::IdOf("w17"));
  body["truncate"] = false;
  EXPECT_THAT(Refusal("/rerank", body, 422), HasSubstr("texts[0]: 38 tokens"));
}

TEST_F(Templated, TextAloneIsRefused) {
  Start();
  EXPECT_THAT(Refusal("/predict", {{"inputs", {{"a", "b"}, {"c"}}}}, 422),
              HasSubstr("inputs[1]: this model judges a query and a document"));
}

TEST_F(Templated, TemplateThatLeavesNoRoomIsNoModel) {
  model.folder.rerank_template->prefix = "a b c d e f g h i j k l m n";
  const auto refused = Gateway::Create(options, {model.Served()}, metrics);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("a limit of 16 tokens leaves no room beside 16 of the template"));
}

}  // namespace
}  // namespace ivy
