#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "ivy/gateway_fixture.h"

namespace ivy {
namespace {

using nlohmann::json;

/// The ids of a text of single words.
std::vector<int32_t> IdsOf(const std::vector<std::string>& words) {
  std::vector<int32_t> ids = {1};
  for (const std::string& word : words) ids.push_back(FakeTokenizer::IdOf(word));
  ids.push_back(2);
  return ids;
}

std::vector<float> FromBase64(const std::string& text) {
  static const std::string alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(alphabet.find(c));
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

class Embeddings : public GatewayTest {
 protected:
  void SetUp() override { Start(); }

  json Embed(const json& body, const std::string& path = "/v1/embeddings") {
    const Reply reply = Ask(Post(path, body.dump()));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
};

TEST_F(Embeddings, Bug56_OneTextInOpenAisShapeWithItsUsage) {
  const json answer = Embed({{"model", "any"}, {"input", "hello world"}, {"user", "me"}});
  EXPECT_EQ(answer["object"], "list");
  EXPECT_EQ(answer["model"], "fake");
  EXPECT_EQ(answer["usage"], json::parse(R"({"prompt_tokens":4,"total_tokens":4})"));
  ASSERT_EQ(answer["data"].size(), 1);
  EXPECT_EQ(answer["data"][0]["object"], "embedding");
  EXPECT_EQ(answer["data"][0]["index"], 0);
  EXPECT_EQ(answer["data"][0]["embedding"].get<std::vector<float>>(),
            model.client.VectorOf(IdsOf({"hello", "world"})));
}

TEST_F(Embeddings, Bug56_UsageCountsTheTokensThatRan) {
  const auto usage = [&](const json& input) {
    const json answer = Embed({{"input", input}});
    EXPECT_EQ(answer["usage"]["prompt_tokens"], answer["usage"]["total_tokens"]);
    return answer["usage"]["prompt_tokens"].get<int>();
  };
  EXPECT_EQ(usage({"a", "b c", "d e f"}), 3 + 4 + 5);
  EXPECT_EQ(usage({{5, 6, 7}, {8}}), 4);
  std::string text;
  for (int i = 0; i < 30; ++i) text += "w ";
  EXPECT_EQ(usage(text), 16) << "cut";
  EXPECT_EQ(Embed({{"input", text}, {"truncate_prompt_tokens", 5}})["usage"]["prompt_tokens"], 5);
}

TEST_F(Embeddings, Bug47_Base64EqualsFloatBitForBit) {
  json body = {{"input", {"a", "b c"}}};
  const json floats = Embed(body);
  body["encoding_format"] = "base64";
  const json encoded = Embed(body);
  for (int i : {0, 1}) {
    EXPECT_EQ(FromBase64(encoded["data"][i]["embedding"]),
              floats["data"][i]["embedding"].get<std::vector<float>>());
  }
}

TEST_F(Embeddings, Bug28_ManyTextsKeepTheirOrderOverManyChunks) {
  json texts = json::array();
  for (int i = 0; i < 60; ++i) {
    std::string text = fmt::format("w{}", i);
    for (int j = 0; j < i * 7 % 12; ++j) text += " x";
    texts.push_back(text);
  }
  const json answer = Embed({{"input", texts}});
  ASSERT_EQ(answer["data"].size(), 60);
  for (int i = 0; i < 60; ++i) {
    std::vector<std::string> words = {fmt::format("w{}", i)};
    words.resize(static_cast<std::size_t>(1 + i * 7 % 12), "x");
    EXPECT_EQ(answer["data"][i]["index"], i);
    EXPECT_EQ(answer["data"][i]["embedding"].get<std::vector<float>>(),
              model.client.VectorOf(IdsOf(words)))
        << i;
  }
  EXPECT_GT(model.client.requests().size(), 4U);
  EXPECT_LE(model.client.outstanding_max(), 2U);
  for (const auto& request : model.client.requests()) EXPECT_LE(request.ids.size(), 32U);
}

TEST_F(Embeddings, Bug48_TokenIdsAreTakenAsTheyAre) {
  const json one = Embed({{"input", {5, 6, 7}}});
  ASSERT_EQ(one["data"].size(), 1);
  EXPECT_EQ(one["data"][0]["embedding"].get<std::vector<float>>(),
            model.client.VectorOf({5, 6, 7}));
  const json two = Embed({{"input", {{5, 6, 7}, {0}}}, {"encoding_format", "base64"}});
  EXPECT_EQ(FromBase64(two["data"][1]["embedding"]), model.client.VectorOf({0}));
  EXPECT_EQ(two["usage"]["prompt_tokens"], 4);
}

TEST_F(Embeddings, Bug53_DimensionsCutAndNormaliseAgain) {
  const json answer = Embed({{"input", "x"}, {"dimensions", 3}});
  const auto values = answer["data"][0]["embedding"].get<std::vector<float>>();
  ASSERT_EQ(values.size(), 3);
  const std::vector<float> whole = model.client.VectorOf(IdsOf({"x"}));
  const double norm = std::hypot(whole[0], whole[1], whole[2]);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(values[i], whole[i] / norm, 1e-6);
  const json raw = Embed({{"inputs", "x"}, {"dimensions", 3}, {"normalize", false}}, "/embed");
  const std::vector<float> plain = model.client.VectorOf(IdsOf({"x"}), false);
  EXPECT_EQ(raw[0].get<std::vector<float>>(), std::vector<float>(plain.begin(), plain.begin() + 3));
}

TEST_F(Embeddings, Bug53_TheWholeDimensionIsTheVectorBitForBit) {
  for (const json& dimensions : {json(8), json(), json(1)}) {
    const json answer = Embed({{"input", "x"}, {"dimensions", dimensions}});
    const auto values = answer["data"][0]["embedding"].get<std::vector<float>>();
    if (dimensions == 1) {
      EXPECT_EQ(std::abs(values.at(0)), 1);
    } else {
      EXPECT_EQ(values, model.client.VectorOf(IdsOf({"x"})));
    }
  }
}

TEST_F(Embeddings, TeiAlwaysGivesAListOfListsAndComputeHeaders) {
  const Reply reply = Ask(Post("/embed", R"({"inputs":"hello"})"));
  const json answer = json::parse(reply.body);
  ASSERT_EQ(answer.size(), 1);
  EXPECT_EQ(answer[0].get<std::vector<float>>(), model.client.VectorOf(IdsOf({"hello"})));
  EXPECT_EQ(reply.headers.at("x-compute-type"), "cpu");
  EXPECT_EQ(reply.headers.at("x-compute-tokens"), "3");
  EXPECT_EQ(reply.headers.at("x-compute-characters"), "5");
  EXPECT_EQ(reply.headers.at("x-inference-time"), "2");
  const json mixed = Embed({{"inputs", {"hello", {7, 8}}}}, "/embed");
  EXPECT_EQ(mixed[1].get<std::vector<float>>(), model.client.VectorOf({7, 8}));
}

TEST_F(Embeddings, PromptStandsInFrontAndItsLengthIsTold) {
  const json answer = Embed({{"inputs", "why"}, {"prompt_name", "query"}}, "/embed");
  EXPECT_EQ(answer[0].get<std::vector<float>>(),
            model.client.VectorOf(IdsOf({"ask:", "now", "why"})));
  EXPECT_EQ(model.client.requests().back().prompt_lengths, std::vector<int32_t>{3});
}

// The special tokens alone, however often and in whatever company.
TEST_F(Embeddings, Bug50_BlankTextIsEmbedded) {
  const std::vector<float> nothing = model.client.VectorOf(IdsOf({}));
  for (const char* blank : {" ", "    "}) {
    for (int i = 0; i < 2; ++i) {
      const json answer = Embed({{"input", blank}});
      EXPECT_EQ(answer["data"][0]["embedding"].get<std::vector<float>>(), nothing);
    }
    const json mixed = Embed({{"input", {"a", blank, "b", blank}}});
    ASSERT_EQ(mixed["data"].size(), 4);
    EXPECT_EQ(mixed["data"][1]["embedding"].get<std::vector<float>>(), nothing);
    EXPECT_EQ(mixed["data"][3]["embedding"].get<std::vector<float>>(), nothing);
  }
  for (const char* blank : {"\n", "\u200B"}) {
    EXPECT_EQ(Embed({{"input", blank}})["data"].size(), 1);
  }
}

TEST_F(Embeddings, Bug06_NulIsPartOfTheText) {
  const std::string text("a\0b", 3);
  const json answer = Embed({{"input", text}});
  EXPECT_EQ(answer["data"][0]["embedding"].get<std::vector<float>>(),
            model.client.VectorOf(IdsOf({text})));
}

TEST_F(Embeddings, Bug14_SurrogatePairEqualsTheCharacter) {
  const Reply escaped = Ask(Post("/embed", R"({"inputs":"\ud83d\udc4d"})"));
  const Reply raw = Ask(Post("/embed", "{\"inputs\":\"\U0001F44D\"}"));
  EXPECT_EQ(escaped.body, raw.body);
}

TEST_F(Embeddings, LastOfEqualKeysCountsAndUnknownOnesDoNot) {
  const Reply reply =
      Ask(Post("/embed", R"({"x":{"y":[1]},"inputs":"a","inputs":"b","dimensions":null})"));
  EXPECT_EQ(json::parse(reply.body)[0].get<std::vector<float>>(),
            model.client.VectorOf(IdsOf({"b"})));
}

}  // namespace
}  // namespace ivy
