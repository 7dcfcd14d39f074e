// What Open says of classifiers and rerankers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hub/open_fixture.h"

namespace hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kQwen3 =
    R"({"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_size": 32,
        "max_position_embeddings": 64})";

class OpenScoresTest : public OpenFixture {
 protected:
  /// A BERT classifier, as transformers writes it; `rest` goes into config.json.
  void WriteClassifier(const std::string& rest) {
    folder_
        .Write("config.json", R"({"architectures": ["BertForSequenceClassification"],
                                  "model_type": "bert", "max_position_embeddings": 64)" +
                                  rest + "}")
        .Write("model.safetensors", "");
  }
  /// A Qwen3 language model in a folder of its own.
  void WriteLanguageModel(const std::string& name) {
    folder_.Write(name + "/config.json", kQwen3)
        .Write(name + "/vocab.json", R"({"yes": 7, "no": 5})")
        .Write(name + "/model.safetensors", "");
  }
};

TEST_F(OpenScoresTest, Bug43_OneLabelRanksSeveralClassify) {
  WriteClassifier(R"(, "num_labels": 1)");
  EXPECT_EQ(Sound().task, Task::kReranking);
  EXPECT_EQ(Sound().task_source,
            "config.json: architectures: BertForSequenceClassification with 1 label");
  EXPECT_EQ(Sound().outputs, Outputs(Output::kScores));
  EXPECT_THAT(Sound().pooling.modes, IsEmpty());
  EXPECT_FALSE(Sound().pooling_is_default);
  EXPECT_EQ(Sound().dimension, std::nullopt);
  EXPECT_FALSE(Sound().rerank_template);
  for (const int labels : {2, 3}) {
    WriteClassifier(", \"num_labels\": " + std::to_string(labels));
    EXPECT_EQ(Sound().task, Task::kClassification);
    EXPECT_EQ(Sound().classifier->labels.size(), static_cast<std::size_t>(labels));
  }
  WriteClassifier("");
  EXPECT_THAT(Sound().classifier->labels, ElementsAre("LABEL_0", "LABEL_1"));
}

TEST_F(OpenScoresTest, APoolingModuleMakesAnEmbeddingModelOfIt) {
  WriteBertFolder(folder_);
  WriteClassifier(R"(, "num_labels": 1)");
  const ModelFolder model = Sound();
  EXPECT_EQ(model.task, Task::kEmbedding);
  EXPECT_EQ(model.task_source, "modules.json");
  EXPECT_FALSE(model.classifier);
  EXPECT_EQ(Sound({.task = Task::kReranking}).outputs, Outputs(Output::kScores));
}

TEST_F(OpenScoresTest, TheFlagWinsWhereItCan) {
  WriteClassifier(R"(, "num_labels": 1)");
  EXPECT_EQ(Sound({.task = Task::kEmbedding}).task, Task::kEmbedding);
  EXPECT_EQ(Sound({.task = Task::kEmbedding}).task_source, "--task");
  EXPECT_THAT(Sound({.task = Task::kEmbedding}).pooling.modes, ElementsAre(PoolingMode::kMean));
  EXPECT_EQ(Sound({.task = Task::kClassification}).task, Task::kClassification);
  WriteClassifier(R"(, "num_labels": 3)");
  EXPECT_EQ(Refusal({.task = Task::kReranking}),
            "config.json: id2label: expected one label for --task rerank, got 3");
  WriteBertFolder(folder_);
  EXPECT_EQ(Refusal({.task = Task::kReranking}),
            "config.json: architectures: BertModel has no classifier: --task rerank does not "
            "apply");
  EXPECT_THAT(Refusal({.task = Task::kClassification}), HasSubstr("--task classify does not"));
}

TEST_F(OpenScoresTest, ALanguageModelNamedRerankerAnswersYesOrNo) {
  for (const std::string name : {"Qwen3-Reranker-0.6B", "models--a--my-reranker/snapshots/1"}) {
    WriteLanguageModel(name);
    const ModelFolder model = Sound({}, name);
    EXPECT_EQ(model.task, Task::kReranking);
    EXPECT_EQ(model.task_source, "Qwen3ForCausalLM and \"reranker\" in its path");
    ASSERT_TRUE(model.logit_score && model.classifier && model.rerank_template);
    EXPECT_EQ(model.logit_score->true_token_id, 7);
    EXPECT_EQ(model.logit_score->false_token_id, 5);
    EXPECT_THAT(model.classifier->labels, ElementsAre("LABEL_0"));
    EXPECT_EQ(model.classifier->activation, ScoreActivation::kSigmoid);
    EXPECT_EQ(model.rerank_template->body, Qwen3RerankTemplate().body);
    EXPECT_EQ(Sound({.task = Task::kEmbedding}, name).outputs,
              Outputs(Output::kDense) | Output::kTokens);
    EXPECT_FALSE(Sound({.task = Task::kEmbedding}, name).rerank_template);
  }
}

TEST_F(OpenScoresTest, OtherLanguageModelsEmbedUnlessToldOtherwise) {
  WriteLanguageModel("Qwen3-0.6B");
  const ModelFolder model = Sound({}, "Qwen3-0.6B");
  EXPECT_EQ(model.task, Task::kEmbedding);
  EXPECT_THAT(model.pooling.modes, ElementsAre(PoolingMode::kLastToken));
  EXPECT_TRUE(model.pooling_is_default);
  EXPECT_TRUE(Sound({.task = Task::kReranking}, "Qwen3-0.6B").logit_score);
  EXPECT_THAT(Refusal({.task = Task::kClassification}, "Qwen3-0.6B"),
              HasSubstr("Qwen3ForCausalLM has no classifier"));
}

TEST_F(OpenScoresTest, ALogitScoreModuleNeedsNoName) {
  WriteLanguageModel("ranker");
  folder_
      .Write("ranker/modules.json", R"([{"path": "", "type": "a.Transformer"},
                                        {"path": "1_LogitScore", "type": "a.LogitScore"}])")
      .Write("ranker/1_LogitScore/config.json", R"({"true_token_id": 11})");
  const ModelFolder model = Sound({}, "ranker");
  EXPECT_EQ(model.task, Task::kReranking);
  EXPECT_EQ(model.task_source, "modules.json");
  EXPECT_EQ(model.logit_score->true_token_id, 11);
  EXPECT_EQ(model.logit_score->false_token_id, std::nullopt);
  EXPECT_TRUE(model.rerank_template);
}

TEST_F(OpenScoresTest, TheOneLabelFormTakesTheTemplateByItsName) {
  const std::string config =
      R"({"architectures": ["Qwen3ForSequenceClassification"], "model_type": "qwen3",
          "max_position_embeddings": 64, "num_labels": 1})";
  for (const std::string name : {"Qwen3-Reranker-seq-cls", "sentiment"}) {
    folder_.Write(name + "/config.json", config).Write(name + "/model.safetensors", "");
  }
  EXPECT_TRUE(Sound({}, "Qwen3-Reranker-seq-cls").rerank_template);
  EXPECT_FALSE(Sound({}, "Qwen3-Reranker-seq-cls").logit_score);
  EXPECT_FALSE(Sound({}, "sentiment").rerank_template);
}

TEST_F(OpenScoresTest, TheTemplateFlagWins) {
  WriteLanguageModel("reranker");
  EXPECT_FALSE(Sound({.rerank_template = "none"}, "reranker").rerank_template);
  folder_.Write("own.json", R"({"prefix": "a", "body": "{query}{document}", "suffix": "b",
                                "default_instruction": ""})");
  const std::string own = (folder_.path() / "own.json").string();
  EXPECT_EQ(Sound({.rerank_template = own}, "reranker").rerank_template->prefix, "a");
  EXPECT_NE(Sound({.rerank_template = own}, "reranker").fingerprint,
            Sound({}, "reranker").fingerprint);
  EXPECT_THAT(Refusal({.rerank_template = "qwen4"}, "reranker"),
              HasSubstr("--rerank-template: qwen4: file not found"));
  WriteClassifier(R"(, "num_labels": 1)");
  EXPECT_TRUE(Sound({.rerank_template = "qwen3"}).rerank_template);
  WriteBertFolder(folder_);
  EXPECT_THAT(Refusal({.rerank_template = "qwen3"}),
              HasSubstr("--rerank-template: applies to rerankers only"));
}

TEST_F(OpenScoresTest, PoolingFlagsDoNotApply) {
  WriteLanguageModel("reranker");
  EXPECT_THAT(Refusal({.pooling = PoolingMode::kCls}, "reranker"),
              HasSubstr("config.json: architectures: Qwen3ForCausalLM gives scores, not vectors"));
}

TEST(ParseTask, RoundTrips) {
  for (const Task task : {Task::kEmbedding, Task::kClassification, Task::kReranking}) {
    EXPECT_EQ(*ParseTask(TaskName(task)), task);
  }
  EXPECT_EQ(*ParseTask("auto"), std::nullopt);
  EXPECT_EQ(std::string(ParseTask("generate").status().message()),
            "task: unknown \"generate\", expected auto, embed, classify or rerank");
}

}  // namespace
}  // namespace hub
