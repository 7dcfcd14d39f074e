#include "hub/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace hub {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<Classifier> Read(const char* json) {
  return ReadClassifier(Config(nlohmann::json::parse(json)));
}

std::string Refusal(const char* json) { return std::string(Read(json).status().message()); }

ScoreActivation ActivationOf(const char* json) {
  const absl::StatusOr<Classifier> classifier = Read(json);
  EXPECT_TRUE(classifier.ok()) << classifier.status();
  return classifier.ok() ? classifier->activation : ScoreActivation::kIdentity;
}

TEST(ReadClassifier, LabelsInTheOrderOfTheirIds) {
  // As text, 10 stands before 2.
  nlohmann::json id2label;
  for (int i = 0; i < 12; ++i) id2label[std::to_string(i)] = "label " + std::to_string(i);
  const auto classifier = ReadClassifier(Config(nlohmann::json{{"id2label", id2label}}));
  ASSERT_TRUE(classifier.ok()) << classifier.status();
  ASSERT_EQ(classifier->labels.size(), 12u);
  EXPECT_EQ(classifier->labels[2], "label 2");
  EXPECT_EQ(classifier->labels[10], "label 10");
}

TEST(ReadClassifier, Bug43_WithoutLabelsTheyAreNumbered) {
  EXPECT_THAT(Read(R"({"num_labels": 1})")->labels, ElementsAre("LABEL_0"));
  EXPECT_THAT(Read(R"({"num_labels": 3})")->labels, ElementsAre("LABEL_0", "LABEL_1", "LABEL_2"));
  EXPECT_THAT(Read("{}")->labels, ElementsAre("LABEL_0", "LABEL_1"));
}

TEST(ReadClassifier, LabelsMustBeCompleteAndAgree) {
  EXPECT_EQ(Refusal(R"({"id2label": {"0": "a", "2": "b"}})"),
            "config.json: id2label: expected the ids 0 … 1, 1 is missing");
  EXPECT_EQ(Refusal(R"({"id2label": {"zero": "a"}})"),
            "config.json: id2label: expected the ids 0 … 0, 0 is missing");
  EXPECT_EQ(Refusal(R"({"id2label": {"0": "a"}, "num_labels": 2})"),
            "config.json: num_labels: expected the 1 labels of id2label, got 2");
  EXPECT_THAT(Refusal(R"({"id2label": {"0": 1}})"), HasSubstr("id2label.0: expected a string"));
  EXPECT_THAT(Refusal(R"({"num_labels": 0})"), HasSubstr("num_labels: expected 1 … "));
  EXPECT_THAT(Refusal(R"({"num_labels": 2147483647})"), HasSubstr("num_labels: expected 1 … "));
}

TEST(ReadClassifier, TheNumberOfLabelsDecidesTheActivation) {
  EXPECT_EQ(ActivationOf(R"({"num_labels": 1})"), ScoreActivation::kSigmoid);
  EXPECT_EQ(ActivationOf(R"({"num_labels": 3})"), ScoreActivation::kSoftmax);
}

TEST(ReadClassifier, ACrossEncodersConfigWins) {
  EXPECT_EQ(ActivationOf(R"({"num_labels": 1, "sbert_ce_default_activation_function":
                             "torch.nn.modules.linear.Identity"})"),
            ScoreActivation::kIdentity);
  EXPECT_EQ(ActivationOf(R"({"num_labels": 3, "sentence_transformers":
                             {"activation_fn": "torch.nn.modules.activation.Sigmoid"}})"),
            ScoreActivation::kSigmoid);
  EXPECT_EQ(ActivationOf(R"({"num_labels": 3, "sentence_transformers": {"version": "4.1.0"}})"),
            ScoreActivation::kSoftmax);
}

TEST(ReadClassifier, UnknownActivationsAreRefusedByName) {
  EXPECT_EQ(Refusal(R"({"sbert_ce_default_activation_function": "my.module.Twist"})"),
            "config.json: sbert_ce_default_activation_function: unknown activation "
            "\"my.module.Twist\", expected Sigmoid or Identity");
  EXPECT_EQ(Refusal(R"({"sentence_transformers": {"activation_fn": "torch.nn.Tanh"}})"),
            "config.json: sentence_transformers: activation_fn: unknown activation "
            "\"torch.nn.Tanh\", expected Sigmoid or Identity");
}

}  // namespace
}  // namespace hub
