#include "hub/rerank_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hub/temp_folder.h"

namespace hub {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<RerankTemplate> Read(const std::string& json) {
  TempFolder folder;
  return ReadRerankTemplate(folder.Write("template.json", json).path() / "template.json");
}

absl::StatusOr<RerankTemplate> WithBody(const std::string& body,
                                        const std::string& default_instruction = "find") {
  return Read(R"({"prefix": "<", "suffix": ">", "body": ")" + body +
              R"(", "default_instruction": ")" + default_instruction + "\"}");
}

std::string Refusal(const std::string& body, const std::string& default_instruction = "find") {
  return std::string(WithBody(body, default_instruction).status().message());
}

TEST(RerankTemplate, FillsEveryPlaceholderOnce) {
  const absl::StatusOr<RerankTemplate> text = WithBody("{query}|{document}|{instruction}|{query}.");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->prefix, "<");
  EXPECT_EQ(text->suffix, ">");
  EXPECT_EQ(text->default_instruction, "find");
  EXPECT_EQ(text->Body("i", "q", "d"), "q|d|i|q.");
  EXPECT_EQ(text->Body("{document}", "{query}", "{instruction}{"),
            "{query}|{instruction}{|{document}|{query}.");
  EXPECT_EQ(text->Body("", "", ""), "|||.");
}

TEST(RerankTemplate, OtherBracesAreText) {
  EXPECT_EQ(WithBody("{}{1}{ query}{query}{{document}}{instruction}{que")->Body("i", "q", "d"),
            "{}{1}{ query}q{d}i{que");
}

TEST(RerankTemplate, OfQwen3) {
  EXPECT_EQ(Qwen3RerankTemplate().Body("I", "Q", "D"), "<Instruct>: I\n<Query>: Q\n<Document>: D");
}

TEST(ReadRerankTemplate, PlaceholdersAreChecked) {
  EXPECT_EQ(Refusal("{query} {document}"),
            "template.json: body: the placeholder {instruction} is missing");
  EXPECT_TRUE(WithBody("{query} {document}", "").ok());
  EXPECT_THAT(Refusal("{instruction} {document}"), HasSubstr("placeholder {query} is missing"));
  EXPECT_THAT(Refusal("{instruction} {query}"), HasSubstr("placeholder {document} is missing"));
  EXPECT_EQ(Refusal("{query} {document} {instruction} {title}"),
            "template.json: body: unknown placeholder {title}, expected {instruction}, {query} "
            "and {document}");
  EXPECT_THAT(Refusal(""), HasSubstr("placeholder {instruction} is missing"));
}

TEST(ReadRerankTemplate, RefusalsNameFileAndKey) {
  EXPECT_THAT(std::string(ReadRerankTemplate("nowhere.json").status().message()),
              HasSubstr("nowhere.json: file not found"));
  EXPECT_THAT(std::string(Read("[]").status().message()), HasSubstr("template.json: expected"));
  EXPECT_THAT(
      std::string(Read(R"({"prefix": "", "body": "{query}{document}"})").status().message()),
      HasSubstr("template.json: key \"suffix\" is missing"));
  EXPECT_THAT(std::string(Read(R"({"prefix": 1})").status().message()),
              HasSubstr("template.json: prefix: expected a string"));
  EXPECT_THAT(std::string(Read(R"({"prefx": ""})").status().message()),
              HasSubstr("template.json: prefx: "));
}

}  // namespace
}  // namespace hub
