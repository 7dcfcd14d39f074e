// The matrix that scores the words: a tensor of its own, or the table of embeddings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/json.h"
#include "common/log_capture.h"
#include "common/status.h"
#include "hub/model_folder.h"
#include "hub/temp_folder.h"
#include "rose/core/reference_backend.h"
#include "rose/models/head_cases.h"
#include "rose/models/model.h"
#include "rose/models/model_rows.h"
#include "rose/models/spoilt_weights.h"

namespace rose {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct TiedCase {
  const char* folder;
  hub::Output output;
  const char* own;    ///< What the checkpoint does not have.
  const char* words;  ///< What serves in its place.
};

class TiedWeightsTest : public ::testing::TestWithParam<TiedCase> {
 protected:
  void SetUp() override {
    fs::copy(fs::path(PARTERRE_TEST_DATA) / GetParam().folder, path_, fs::copy_options::recursive);
  }
  absl::StatusOr<std::vector<float>> Run() {
    ReferenceBackend backend(DType::kFloat32);
    ASSIGN_OR_RETURN(const hub::ModelFolder folder, hub::Open(path_));
    ASSIGN_OR_RETURN(const auto model, Model::Load(folder, {}, backend));
    PackedSequences sequences;
    sequences.Add(std::vector<int32_t>{5, 17, 9}, false);
    const ModelRows rows(*model, sequences, DType::kFloat32);
    const auto values = rows.All(GetParam().output);
    return std::vector<float>(values.begin(), values.end());
  }
  void SetTied(bool tied) {
    auto config = common::ReadJsonFile(path_ / "config.json").value();
    config["tie_word_embeddings"] = tied;
    WriteFile(path_ / "config.json", config.dump());
  }

  const hub::TempFolder temp_;
  // A reranker is known by its name.
  const fs::path path_ = temp_.path() / fs::path(GetParam().folder).filename();
};

TEST_P(TiedWeightsTest, Bug44_TheTableServesWhereTheMatrixIsAbsent) {
  std::vector<float> tied;
  {
    const common::LogCapture log;
    const auto values = Run();
    ASSERT_TRUE(values.ok()) << values.status();
    tied = *values;
    EXPECT_THAT(tied, Not(IsEmpty()));
    EXPECT_THAT(log.text(), Not(HasSubstr("tie_word_embeddings")));
  }
  // The config says that they are not tied: the same numbers, and a word about it.
  SetTied(false);
  const common::LogCapture log;
  const auto values = Run();
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(*values, tied);
  EXPECT_THAT(log.text(), HasSubstr(std::string(GetParam().own) +
                                    " is not there, though tie_word_embeddings is false; taking " +
                                    GetParam().words));
}

TEST_P(TiedWeightsTest, Bug44_WithoutTheTableTooTheTensorIsNamed) {
  const fs::path file = path_ / "model.safetensors";
  std::string bytes = ReadFile(file);
  const std::string table = "." + std::string(GetParam().words);  // Behind the family's prefix.
  for (std::size_t at = 0; (at = bytes.find(table, at)) != bytes.npos; ++at) bytes[at + 1] = 'x';
  WriteFile(file, bytes);
  const absl::Status status = Run().status();
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(, TiedWeightsTest,
                         ::testing::Values(TiedCase{"models/qwen3-reranker", hub::Output::kScores,
                                                    "lm_head.weight", "embed_tokens.weight"},
                                           TiedCase{"heads/splade-bert-max", hub::Output::kSparse,
                                                    "cls.predictions.decoder.weight",
                                                    "embeddings.word_embeddings.weight"},
                                           TiedCase{"heads/splade-distilbert-sum",
                                                    hub::Output::kSparse, "vocab_projector.weight",
                                                    "embeddings.word_embeddings.weight"}),
                         [](const auto& test) {
                           return FolderTestName(
                               std::filesystem::path(test.param.folder).filename());
                         });

}  // namespace
}  // namespace rose
