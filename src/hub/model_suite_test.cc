// The model folders under tests/data, and the larger suite beside the project where it is there:
// what their files ask for must be read as their cases.json says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/json.h"
#include "hub/model_folder.h"

namespace hub {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const fs::path kCheckedIn = fs::path(PARTERRE_TEST_DATA) / "models";
const fs::path kShared = fs::path(PARTERRE_SHARED_CASES) / "models";

// Malformed folders whose fault stands in the files that hub reads; the rest must open here.
const std::set<std::string> kRefusedByHub = {
    "config_missing", "config_nested_deep",       "heads_do_not_divide", "kv_heads_do_not_divide",
    "module_unknown", "shard_path_leaves_folder", "pooling_none",        "pooling_dimension",
};

void ExpectScores(const ModelFolder& model, const json& cases) {
  EXPECT_EQ(model.outputs, Outputs(Output::kScores));
  EXPECT_THAT(model.pooling.modes, IsEmpty());
  ASSERT_TRUE(model.classifier);
  const bool is_yes_or_no = cases.value("method", "") == "yes_no_logits";
  ASSERT_EQ(model.logit_score.has_value(), is_yes_or_no);
  if (cases["task"] == "classify") {
    EXPECT_EQ(model.task, Task::kClassification);
    EXPECT_EQ(model.classifier->labels, cases["labels"].get<std::vector<std::string>>());
    EXPECT_EQ(model.classifier->activation, ScoreActivation::kSoftmax);
    return;
  }
  EXPECT_EQ(model.task, Task::kReranking);
  EXPECT_EQ(model.classifier->labels.size(), 1u);
  EXPECT_EQ(ScoreActivationName(model.classifier->activation), cases["activation"]);
  if (is_yes_or_no) {
    EXPECT_EQ(model.logit_score->true_token_id, cases["yes_id"]);
    EXPECT_EQ(model.logit_score->false_token_id, cases["no_id"].get<int32_t>());
  }
  ASSERT_EQ(model.rerank_template.has_value(), cases.contains("template"));
  if (!model.rerank_template) return;
  const json& expected = cases["template"];
  EXPECT_EQ(model.rerank_template->prefix, expected["prefix"]);
  EXPECT_EQ(model.rerank_template->body, expected["body"]);
  EXPECT_EQ(model.rerank_template->suffix, expected["suffix"]);
  EXPECT_EQ(model.rerank_template->default_instruction, expected["default_instruction"]);
}

/// Folders for other tasks than those served now are read as what they would be without them.
void ExpectVectors(const ModelFolder& model, const json& cases) {
  EXPECT_EQ(model.task, Task::kEmbedding);
  EXPECT_EQ(model.quantization, model.model_type == "bidirectional_pplx_qwen3"
                                    ? Quantization::kTanhInt8
                                    : Quantization::kNone);
  Outputs outputs = Outputs(Output::kDense) | Output::kTokens;
  if (cases.contains("heads")) outputs |= Outputs(Output::kSparse) | Output::kColbert;
  EXPECT_EQ(model.outputs, outputs);
  EXPECT_FALSE(model.classifier || model.rerank_template);
  ASSERT_EQ(model.pooling.modes.size(), 1u);
  EXPECT_EQ(model.pooling_is_default, cases["task"] != "embedding");
  if (cases["task"] != "embedding") return;
  const std::string pooling = cases["pooling"];
  EXPECT_EQ(PoolingModeName(model.pooling.modes[0]),
            pooling == "lasttoken" ? "last_token" : pooling);
  EXPECT_EQ(model.pooling.include_prompt, cases.value("include_prompt", true));
  EXPECT_EQ(model.normalize, cases["normalize"]);
  EXPECT_EQ(model.max_length, cases["max_length"]);
}

void ExpectAsInCases(const fs::path& folder) {
  const absl::StatusOr<ModelFolder> model = Open(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  const json cases = *common::ReadJsonFile(folder / "cases.json");
  EXPECT_EQ(model->model_type, cases["model_type"]);
  // The cases of the rerankers may cut shorter than the model asks for.
  EXPECT_GE(model->max_length, cases.value("max_length", 1));
  const bool has_scores = cases["task"] == "rerank" || cases["task"] == "classify";
  has_scores ? ExpectScores(*model, cases) : ExpectVectors(*model, cases);
}

int CheckSound(const fs::path& root) {
  int folders = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    if (!fs::exists(entry.path() / "cases.json")) continue;
    SCOPED_TRACE(entry.path().filename());
    ExpectAsInCases(entry.path());
    ++folders;
  }
  return folders;
}

int CheckBad(const fs::path& root) {
  const json bad = *common::ReadJsonFile(root / "bad.json");
  EXPECT_TRUE(Open(root / std::string(bad["sound_folder"])).ok());
  for (const json& item : bad["cases"]) {
    const std::string folder = item["folder"];
    SCOPED_TRACE(folder);
    const absl::Status status = Open(root / folder).status();
    if (!kRefusedByHub.contains(folder)) {
      EXPECT_TRUE(status.ok()) << status;
      continue;
    }
    EXPECT_FALSE(status.ok());
    const std::string named = item["message_should_name_one_of"][0];
    EXPECT_THAT(std::string(status.message()), HasSubstr(named));
  }
  return static_cast<int>(bad["cases"].size());
}

TEST(ModelSuite, CheckedInFoldersAreReadAsTheirCasesSay) { EXPECT_GE(CheckSound(kCheckedIn), 9); }

TEST(ModelSuite, CheckedInMalformedFoldersAreRefusedByName) {
  EXPECT_GT(CheckBad(kCheckedIn / "bad"), 20);
}

TEST(ModelSuite, SharedFoldersAreReadAsTheirCasesSay) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "no " << kShared;
  const int folders = CheckSound(kShared);
  std::cout << folders << " shared model folders" << std::endl;
  EXPECT_GE(folders, 28);
}

TEST(ModelSuite, SharedMalformedFoldersAreRefusedByName) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "no " << kShared;
  const int folders = CheckBad(kShared / "bad");
  std::cout << folders << " shared malformed folders" << std::endl;
  EXPECT_GE(folders, 24);
}

}  // namespace
}  // namespace hub
