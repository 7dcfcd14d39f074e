#include "text/formats/tokenizer_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "common/json.h"

namespace text {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A new folder, removed at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("tokenizer_folder." + std::to_string(getpid()))) {
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void Write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  std::string Error() const {
    const auto json = ReadTokenizerFolder(path_);
    return json.ok() ? "" : std::string(json.status().message());
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What transformers makes of the same files (tests/data/tokenizers/formats/make_cases.py).
TEST(TokenizerFolderTest, Bug16_MakesTheLibrarysDocument) {
  std::size_t compared = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(PARTERRE_TEST_DATA) / "tokenizers/formats")) {
    if (!entry.is_directory()) continue;
    const auto made = ReadTokenizerFolder(entry.path());
    ASSERT_TRUE(made.ok()) << entry.path() << ": " << made.status();
    const auto expected = common::ReadJsonFile(entry.path() / "expected.json");
    ASSERT_TRUE(expected.ok()) << expected.status();
    EXPECT_EQ(nlohmann::json::diff(*expected, *made), nlohmann::json::array()) << entry.path();
    ++compared;
  }
  EXPECT_GE(compared, 13u);
}

TEST(TokenizerFolderTest, TokenizerJsonGoesFirst) {
  const Folder folder;
  folder.Write("tokenizer.json", R"({"model": {}})");
  folder.Write("vocab.txt", "a\n");
  const auto json = ReadTokenizerFolder(folder.path());
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(*json, nlohmann::json({{"model", nlohmann::json::object()}}));
}

TEST(TokenizerFolderTest, Bug16_SaysWhatIsMissingAndHowToMakeIt) {
  const Folder folder;
  EXPECT_TRUE(absl::IsNotFound(ReadTokenizerFolder(folder.path()).status()));
  EXPECT_THAT(folder.Error(), HasSubstr("tokenizer.json is missing"));
  EXPECT_THAT(folder.Error(), HasSubstr("holds no other file of a tokenizer"));
  folder.Write("vocab.txt", "[UNK]\n");
  EXPECT_THAT(folder.Error(), HasSubstr("holds vocab.txt; without tokenizer_config.json"));
  EXPECT_THAT(folder.Error(), HasSubstr("save_pretrained"));
  folder.Write("tokenizer_config.json", "{}");
  EXPECT_THAT(folder.Error(), HasSubstr("names no tokenizer_class"));
  folder.Write("tokenizer_config.json", R"({"tokenizer_class": "OddTokenizer"})");
  EXPECT_THAT(folder.Error(), HasSubstr("the pipeline of OddTokenizer is not known"));
  EXPECT_THAT(folder.Error(), HasSubstr("BertTokenizer"));
  folder.Write("tokenizer_config.json", R"({"tokenizer_class": "XLMRobertaTokenizerFast"})");
  EXPECT_THAT(folder.Error(), HasSubstr("a XLMRobertaTokenizer needs sentencepiece.bpe.model"));
}

TEST(TokenizerFolderTest, NamesWhatIsWrong) {
  const Folder folder;
  folder.Write("tokenizer_config.json", "[]");
  EXPECT_THAT(folder.Error(), HasSubstr("tokenizer_config.json: expected an object"));
  folder.Write("tokenizer_config.json",
               R"({"tokenizer_class": "BertTokenizer", "do_lower_case": 1})");
  folder.Write("vocab.txt", "[PAD]\n");
  EXPECT_THAT(folder.Error(), HasSubstr("vocab.txt: holds no \"[UNK]\""));
  folder.Write("vocab.txt", "[UNK]\n");
  EXPECT_THAT(folder.Error(), HasSubstr("do_lower_case: expected true or false"));
  folder.Write("tokenizer_config.json",
               R"({"tokenizer_class": "BertTokenizer", "cls_token": {"special": true}})");
  EXPECT_THAT(folder.Error(), HasSubstr("cls_token: expected a token"));
  folder.Write("tokenizer_config.json",
               R"({"tokenizer_class": "BertTokenizer",
                   "added_tokens_decoder": {"7": {"content": "[UNK]"}}})");
  EXPECT_THAT(folder.Error(), HasSubstr("\"[UNK]\" has id 7, expected 0"));
  folder.Write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  folder.Write("vocab.json", R"({"a": 0})");
  folder.Write("merges.txt", "#version: 0.2\na b c\n");
  EXPECT_THAT(folder.Error(), HasSubstr("merges.txt: line 2: expected two pieces"));
  folder.Write("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer"})");
  folder.Write("tokenizer.model", "\n\5ab");
  EXPECT_THAT(folder.Error(), HasSubstr("tokenizer.model: expected a SentencePiece model"));
}

}  // namespace
}  // namespace text
