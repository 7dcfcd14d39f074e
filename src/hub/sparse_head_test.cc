#include "hub/sparse_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "hub/temp_folder.h"

namespace hub {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kXlmRoberta = R"({"model_type": "xlm-roberta", "bos_token_id": 0,
                                        "eos_token_id": 2, "pad_token_id": 1})";

absl::StatusOr<std::optional<SparseHead>> Find(const TempFolder& folder, const char* config) {
  return FindSparseHead(folder.path(), Config(nlohmann::json::parse(config)));
}

TEST(FindSparseHead, SafetensorsBeforePickles) {
  TempFolder folder;
  EXPECT_EQ(*Find(folder, kXlmRoberta), std::nullopt);
  folder.Write("sparse_linear.pt", "");
  EXPECT_EQ((*Find(folder, kXlmRoberta))->file, folder.path() / "sparse_linear.pt");
  folder.Write("sparse_linear.safetensors", "");
  EXPECT_EQ((*Find(folder, kXlmRoberta))->file, folder.path() / "sparse_linear.safetensors");
}

TEST(FindSparseHead, BrokenLinksAreNamed) {
  TempFolder folder;
  std::filesystem::create_symlink("nowhere", folder.path() / "sparse_linear.pt");
  EXPECT_THAT(std::string(Find(folder, kXlmRoberta).status().message()),
              HasSubstr("sparse_linear.pt: broken link"));
}

class LeftOutIds : public ::testing::Test {
 protected:
  LeftOutIds() { folder_.Write("sparse_linear.pt", ""); }

  std::vector<int32_t> Read(const char* config) {
    const auto head = Find(folder_, config);
    EXPECT_TRUE(head.ok()) << head.status();
    return head.ok() ? (*head)->left_out_ids : std::vector<int32_t>();
  }

  TempFolder folder_;
};

TEST_F(LeftOutIds, OfXlmRobertaWhereNoFileSaysTheUnknownOne) {
  EXPECT_THAT(Read(kXlmRoberta), ElementsAre(0, 1, 2, 3));
}

TEST_F(LeftOutIds, OfConfigJson) {
  EXPECT_THAT(Read(R"({"model_type": "bert", "bos_token_id": 9, "eos_token_id": 9,
                       "pad_token_id": 0, "unk_token_id": 5})"),
              ElementsAre(0, 5, 9));
  EXPECT_THAT(Read(R"({"model_type": "bert", "pad_token_id": 0})"), ElementsAre(0));
}

TEST_F(LeftOutIds, TheTokenizersListHasTheUnknownOne) {
  folder_.Write("tokenizer_config.json",
                R"({"unk_token": "<unk>", "added_tokens_decoder": {
                    "4": {"content": "<pad>"}, "77": {"content": "<unk>"}}})");
  EXPECT_THAT(Read(kXlmRoberta), ElementsAre(0, 1, 2, 77));
  folder_.Write("tokenizer_config.json",
                R"({"unk_token": {"content": "<unk>"}, "added_tokens_decoder": {
                    "x": {"content": "<unk>"}, "78": {"content": "<unk>"}, "5": 1}})");
  EXPECT_THAT(Read(kXlmRoberta), ElementsAre(0, 1, 2, 78));
  folder_.Write("tokenizer_config.json", R"({"unk_token": 5, "added_tokens_decoder": []})");
  EXPECT_THAT(Read(kXlmRoberta), ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace hub
