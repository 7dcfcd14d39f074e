#include "hub/model_folder.h"

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
using ::testing::Pair;

class OpenTest : public OpenFixture {
 protected:
  OpenTest() { WriteBertFolder(folder_); }
};

TEST_F(OpenTest, WholeFolder) {
  folder_.Write("config_sentence_transformers.json",
                R"({"prompts": {"query": "q: "}, "default_prompt_name": "query"})");
  const ModelFolder model = Sound();
  EXPECT_EQ(model.path, folder_.path());
  EXPECT_EQ(model.name, folder_.path().filename());
  EXPECT_EQ(model.model_type, "bert");
  EXPECT_THAT(model.architectures, ElementsAre("BertModel"));
  EXPECT_EQ(*model.config.Int("hidden_size"), 32);
  EXPECT_THAT(model.pooling.modes, ElementsAre(PoolingMode::kMean));
  EXPECT_FALSE(model.pooling_is_default);
  EXPECT_TRUE(model.normalize);
  EXPECT_EQ(model.max_length, 16);
  EXPECT_EQ(model.max_length_source, "sentence_bert_config.json: max_seq_length");
  EXPECT_FALSE(model.lower_case);
  EXPECT_THAT(model.prompts, ElementsAre(Pair("query", "q: ")));
  EXPECT_EQ(model.default_prompt_name, "query");
  EXPECT_THAT(model.tokenizer_files, ElementsAre(folder_.path() / "tokenizer.json"));
  EXPECT_THAT(model.weight_files, ElementsAre(folder_.path() / "model.safetensors"));
}

TEST_F(OpenTest, Bug41_WithoutModulesTheMeanIsTheDefaultAndNothingIsNormalised) {
  folder_.Remove("modules.json");
  const ModelFolder model = Sound();
  EXPECT_THAT(model.pooling.modes, ElementsAre(PoolingMode::kMean));
  EXPECT_TRUE(model.pooling_is_default);
  EXPECT_FALSE(model.normalize);
}

TEST_F(OpenTest, PoolingFlagWins) {
  folder_.Write("1_Pooling/config.json", R"({"pooling_mode": "mean", "include_prompt": false})");
  const OpenOptions cls = {.pooling = PoolingMode::kCls};
  EXPECT_THAT(Sound(cls).pooling.modes, ElementsAre(PoolingMode::kCls));
  EXPECT_FALSE(Sound(cls).pooling.include_prompt);
  EXPECT_TRUE(Sound(cls).normalize);
  folder_.Remove("modules.json");
  EXPECT_THAT(Sound(cls).pooling.modes, ElementsAre(PoolingMode::kCls));
  EXPECT_FALSE(Sound(cls).pooling_is_default);
}

TEST_F(OpenTest, Bug41_PoolingFolderNotCopied) {
  folder_.Remove("1_Pooling");
  EXPECT_EQ(
      Refusal(),
      "1_Pooling/config.json: file not found, though modules.json names its folder; --pooling "
      "chooses a mode without it");
  EXPECT_THAT(Sound({.pooling = PoolingMode::kMean}).pooling.modes,
              ElementsAre(PoolingMode::kMean));
}

TEST_F(OpenTest, Bug43_PoolingFlagOnAClassifierIsAConflict) {
  folder_.Remove("modules.json");
  folder_.Write("config.json",
                R"({"architectures": ["BertForSequenceClassification"], "model_type": "bert",
                    "hidden_size": 32, "max_position_embeddings": 64})");
  EXPECT_THAT(Refusal({.pooling = PoolingMode::kCls}),
              HasSubstr("config.json: architectures: BertForSequenceClassification"));
}

TEST_F(OpenTest, MaxLengthFlag) {
  EXPECT_EQ(Sound({.max_length = 64}).max_length, 64);
  EXPECT_THAT(Refusal({.max_length = 65}), HasSubstr("--max-length: expected at most 64"));
}

TEST_F(OpenTest, LowerCase) {
  folder_.Write("sentence_bert_config.json", R"({"max_seq_length": 16, "do_lower_case": true})");
  EXPECT_TRUE(Sound().lower_case);
}

TEST_F(OpenTest, TransformerInAFolderOfItsOwn) {
  fs::create_directory(folder_.path() / "0_Transformer");
  for (const char* name :
       {"config.json", "tokenizer.json", "model.safetensors", "sentence_bert_config.json"}) {
    fs::rename(folder_.path() / name, folder_.path() / "0_Transformer" / name);
  }
  folder_.Write("modules.json", R"([{"path": "0_Transformer", "type": "a.Transformer"},
                                    {"path": "1_Pooling", "type": "a.Pooling"}])");
  const ModelFolder model = Sound();
  EXPECT_EQ(model.max_length, 16);
  EXPECT_EQ(model.tokenizer_folder, folder_.path() / "0_Transformer");
  EXPECT_THAT(model.tokenizer_files, ElementsAre(folder_.path() / "0_Transformer/tokenizer.json"));
  EXPECT_THAT(model.weight_files, ElementsAre(folder_.path() / "0_Transformer/model.safetensors"));
}

TEST_F(OpenTest, WeightsMayBeAbsentWhereNoneAreRequired) {
  folder_.Remove("model.safetensors");
  EXPECT_THAT(Refusal(), HasSubstr("model.safetensors: file not found"));
  EXPECT_THAT(Sound({.weights_required = false}).weight_files, IsEmpty());
}

TEST_F(OpenTest, OtherTokenizerFilesCountWithoutTokenizerJson) {
  folder_.Write("vocab.txt", "[UNK]\n");
  folder_.Write("tokenizer_config.json", "{}");
  EXPECT_THAT(Sound().tokenizer_files, ElementsAre(folder_.path() / "tokenizer.json"));
  folder_.Remove("tokenizer.json");
  const ModelFolder model = Sound();
  EXPECT_TRUE(fs::equivalent(model.tokenizer_folder, folder_.path()));
  EXPECT_THAT(model.tokenizer_files,
              ElementsAre(folder_.path() / "tokenizer_config.json", folder_.path() / "vocab.txt"));
  folder_.Write("vocab.txt", "[UNK]\na\n");
  EXPECT_NE(Sound().fingerprint, model.fingerprint);
  folder_.Remove("vocab.txt");
  folder_.Remove("tokenizer_config.json");
  EXPECT_THAT(Sound().tokenizer_files, IsEmpty());
}

TEST_F(OpenTest, MissingFilesAreNamed) {
  folder_.Remove("config.json");
  EXPECT_THAT(Refusal(), HasSubstr("config.json: file not found"));
  EXPECT_EQ(Open(folder_.path()).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(OpenTest, Bug45_LinksAreFollowedAndBrokenOnesNamed) {
  fs::create_directory(folder_.path() / "blobs");
  fs::rename(folder_.path() / "tokenizer.json", folder_.path() / "blobs/0123");
  fs::create_symlink("blobs/0123", folder_.path() / "tokenizer.json");
  TempFolder other;
  fs::create_directory_symlink(folder_.path(), other.path() / "final");
  const absl::StatusOr<ModelFolder> model = Open(other.path() / "final");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->name, "final");
  folder_.Remove("blobs");
  EXPECT_THAT(Refusal(), HasSubstr("tokenizer.json: broken link"));
}

TEST_F(OpenTest, FingerprintFollowsWhatIsServed) {
  const std::string before = Sound().fingerprint;
  EXPECT_EQ(Sound().fingerprint, before);
  EXPECT_NE(Sound({.max_length = 8}).fingerprint, before);
  EXPECT_NE(Sound({.pooling = PoolingMode::kCls}).fingerprint, before);
  folder_.Write("tokenizer.json", R"({"version": "1.0"})");
  EXPECT_NE(Sound().fingerprint, before);
}

TEST(Open, NoSuchFolderMayBeAnIdOfAHub) {
  const absl::Status status = Open("sentence-transformers/all-MiniLM-L6-v2").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(std::string(status.message()),
            "sentence-transformers/all-MiniLM-L6-v2: no such folder; expected a model folder with "
            "config.json, or a hub id (organisation/name)");
}

TEST(Open, LinksInACircleAreCalledThat) {
  TempFolder folder;
  fs::create_symlink(folder.path() / "b", folder.path() / "a");
  fs::create_symlink(folder.path() / "a", folder.path() / "b");
  EXPECT_EQ(std::string(Open(folder.path() / "a").status().message()),
            (folder.path() / "a").string() + ": Too many levels of symbolic links");
}

TEST(Open, AFileIsNoFolder) {
  TempFolder folder;
  folder.Write("config.json", "{}");
  EXPECT_THAT(std::string(Open(folder.path() / "config.json").status().message()),
              HasSubstr("config.json: not a folder"));
}

TEST(Open, NameOfAPathWithATrailingSlash) {
  TempFolder folder;
  WriteBertFolder(folder);
  EXPECT_EQ(Open(folder.path() / "")->name, folder.path().filename());
  EXPECT_EQ(Open(folder.path() / ".")->name, folder.path().filename());
}

}  // namespace
}  // namespace hub
