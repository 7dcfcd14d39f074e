#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/check.h"
#include "text/pre_tokenizers/byte_level.h"
#include "text/pre_tokenizers/category_splits.h"
#include "text/pre_tokenizers/metaspace.h"
#include "text/pre_tokenizers/pre_tokenizer_types.h"
#include "text/pre_tokenizers/split.h"
#include "text/pre_tokenizers/split_text.h"

namespace text {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Result = absl::StatusOr<std::unique_ptr<PreTokenizer>>;

template <typename Read>
Result Load(const json& document, Read read) {
  return read(common::JsonView(document, "tokenizer.json"));
}

template <typename Read>
std::string ErrorOf(const json& document, Read read) {
  return std::string(Load(document, read).status().message());
}

json ByteLevelJson() {
  return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}};
}
json MetaspaceJson() { return {{"type", "Metaspace"}, {"replacement", "\u2581"}}; }
json SequenceJson(json members) {
  return {{"type", "Sequence"}, {"pretokenizers", std::move(members)}};
}

TEST(PreTokenizerJsonTest, KeysThatAreNotKnownOrMissingAreNamed) {
  json extra = ByteLevelJson();
  extra["bytes"] = 1;
  EXPECT_THAT(ErrorOf(extra, ByteLevel::FromJson), HasSubstr("bytes"));
  EXPECT_THAT(ErrorOf({{"type", "ByteLevel"}, {"trim_offsets", true}}, ByteLevel::FromJson),
              HasSubstr("add_prefix_space"));
  EXPECT_THAT(ErrorOf({{"type", "Digits"}}, ReadDigits), HasSubstr("individual_digits"));
  EXPECT_THAT(ErrorOf({{"type", "Punctuation"}, {"behavior", "Isolate"}}, ReadPunctuation),
              AllOf(HasSubstr("behavior"), HasSubstr("MergedWithNext")));
  EXPECT_THAT(
      ErrorOf({{"type", "CharDelimiterSplit"}, {"delimiter", "ab"}}, ReadCharDelimiterSplit),
      HasSubstr("delimiter"));
}

TEST(PreTokenizerJsonTest, SplitNamesWhatIsWrongWithAPattern) {
  const auto split = [](json pattern) -> json {
    return {{"type", "Split"},
            {"pattern", std::move(pattern)},
            {"behavior", "Isolated"},
            {"invert", false}};
  };
  EXPECT_THAT(ErrorOf(split({{"Regex", "a("}}), ReadSplit),
              AllOf(HasSubstr("pattern.Regex"), HasSubstr("byte 2")));
  EXPECT_THAT(ErrorOf(split({{"String", ""}}), ReadSplit), HasSubstr("pattern.String"));
  EXPECT_THAT(ErrorOf(split("a"), ReadSplit), HasSubstr("pattern"));
}

TEST(PreTokenizerJsonTest, MetaspaceReadsItsLegacyKeys) {
  json legacy = MetaspaceJson();
  legacy["add_prefix_space"] = true;
  EXPECT_TRUE(Load(legacy, Metaspace::FromJson).ok());
  legacy["add_prefix_space"] = false;
  EXPECT_THAT(ErrorOf(legacy, Metaspace::FromJson), HasSubstr("prepend_scheme"));
  legacy["prepend_scheme"] = "never";
  EXPECT_TRUE(Load(legacy, Metaspace::FromJson).ok());
  legacy["prepend_scheme"] = "last";
  EXPECT_THAT(ErrorOf(legacy, Metaspace::FromJson), HasSubstr("prepend_scheme"));
  legacy = MetaspaceJson();
  legacy["replacement"] = "ab";
  EXPECT_THAT(ErrorOf(legacy, Metaspace::FromJson), HasSubstr("replacement"));
}

TEST(PreTokenizerJsonTest, NothingFollowsByteLevelOrMetaspace) {
  for (const json& last : {ByteLevelJson(), MetaspaceJson()}) {
    const json document = SequenceJson({last, {{"type", "WhitespaceSplit"}}});
    EXPECT_THAT(ErrorOf(document, ReadPreTokenizer), HasSubstr("pretokenizers[1]"));
  }
}

TEST(PreTokenizerJsonTest, TheFormIsThatOfTheLastMember) {
  const auto form = [](const json& members) {
    const Result sequence = Load(SequenceJson(members), ReadPreTokenizer);
    CHECK(sequence.ok()) << sequence.status().message();
    return (*sequence)->form();
  };
  EXPECT_EQ(form(json::array()).kind, PieceForm::Kind::kPlain);
  EXPECT_EQ(form(json::array({ByteLevelJson()})).kind, PieceForm::Kind::kByteLevel);
  json metaspace = MetaspaceJson();
  metaspace["replacement"] = "_";
  for (const char* scheme : {"always", "first"}) {
    metaspace["prepend_scheme"] = scheme;
    EXPECT_EQ(form({{{"type", "WhitespaceSplit"}}, metaspace}).kind, PieceForm::Kind::kMetaspace);
    EXPECT_EQ(form({{{"type", "WhitespaceSplit"}}, metaspace}).space, "_");
  }
}

TEST(MetaspaceTest, PrependsToTheFirstTextOnly) {
  const Metaspace metaspace({.prepend = Metaspace::Prepend::kFirst});
  EXPECT_THAT(Split(metaspace, "a b", false, true).words, ElementsAre(" a", " b"));
  EXPECT_THAT(Split(metaspace, "a b", false, false).words, ElementsAre("a", " b"));
}

}  // namespace
}  // namespace text
