#include "hub/prompts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hub/temp_folder.h"

namespace hub {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

absl::StatusOr<Prompts> Read(const char* json) {
  TempFolder folder;
  return ReadPrompts(folder.Write("config_sentence_transformers.json", json).path());
}

TEST(ReadPrompts, NoFileNoPrompts) {
  TempFolder folder;
  const absl::StatusOr<Prompts> prompts = ReadPrompts(folder.path());
  ASSERT_TRUE(prompts.ok()) << prompts.status();
  EXPECT_THAT(prompts->texts, IsEmpty());
  EXPECT_EQ(prompts->default_name, std::nullopt);
}

TEST(ReadPrompts, NamesAndDefault) {
  const absl::StatusOr<Prompts> prompts =
      Read(R"({"prompts": {"query": "query: ", "document": ""}, "default_prompt_name": "query"})");
  ASSERT_TRUE(prompts.ok()) << prompts.status();
  EXPECT_THAT(prompts->texts, ElementsAre(Pair("document", ""), Pair("query", "query: ")));
  EXPECT_EQ(prompts->default_name, "query");
}

TEST(ReadPrompts, NullDefaultIsNone) {
  EXPECT_EQ(Read(R"({"prompts": {}, "default_prompt_name": null})")->default_name, std::nullopt);
}

TEST(ReadPrompts, DefaultMustBeAKey) {
  EXPECT_EQ(std::string(Read(R"({"default_prompt_name": "query"})").status().message()),
            "config_sentence_transformers.json: default_prompt_name: \"query\" is not among the "
            "prompts");
}

TEST(ReadPrompts, PromptsMustBeTexts) {
  EXPECT_EQ(std::string(Read(R"({"prompts": {"query": 1}})").status().message()),
            "config_sentence_transformers.json: prompts.query: expected a string, got 1");
}

}  // namespace
}  // namespace hub
