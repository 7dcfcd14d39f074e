#include "ivy/http/api_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "hub/temp_folder.h"
#include "ivy/http/key_file.h"

namespace ivy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ApiKeysTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& text) {
    return (folder_.Write("keys.txt", text).path() / "keys.txt").string();
  }
  static std::shared_ptr<ApiKeys> Make(ApiKeyOptions options) {
    auto keys = ApiKeys::Create(std::move(options));
    EXPECT_TRUE(keys.ok()) << keys.status();
    return keys.ok() ? *keys : nullptr;
  }
  /// That a file with this text is refused so, and what stands in it is not told.
  void ExpectRefused(const std::string& text, const std::string& said) {
    const auto keys = ReadKeyFile(Write(text));
    ASSERT_FALSE(keys.ok()) << text;
    EXPECT_THAT(std::string(keys.status().message()), HasSubstr(said));
    EXPECT_THAT(std::string(keys.status().message()), Not(HasSubstr("secret")));
  }

  hub::TempFolder folder_;
};

TEST_F(ApiKeysTest, WithoutAKeyNobodyIsAsked) { EXPECT_EQ(Make({}), nullptr); }

TEST_F(ApiKeysTest, Bug60_MatchesWholeKeysOnly) {
  const auto keys = Make({.keys = {"key", "a-longer-one", std::string(ApiKeys::kBytesMax, 'k')}});
  EXPECT_EQ(keys->size(), 3U);
  for (const std::string& right :
       {std::string("Bearer key"), std::string("BEARER key"), std::string("bearer a-longer-one"),
        "Bearer " + std::string(ApiKeys::kBytesMax, 'k')}) {
    EXPECT_TRUE(keys->Admit(right)) << right;
  }
  for (const std::string& wrong :
       {std::string(), std::string("Bearer"), std::string("Bearer "), std::string("Bearer ke"),
        std::string("Bearer keyk"), std::string("Bearer keykey"), std::string("Bearer kez"),
        std::string("Bearer key,a-longer-one"), std::string("Bearer  key"),
        std::string("Bearer key\0", 11), std::string("Basic key"), std::string("key"),
        "Bearer " + std::string(ApiKeys::kBytesMax - 1, 'k'),
        "Bearer " + std::string(ApiKeys::kBytesMax + 1, 'k')}) {
    EXPECT_FALSE(keys->Admit(wrong)) << wrong;
  }
}

/// Zeros behind what was given are as those behind a key: they must not make it one.
TEST_F(ApiKeysTest, ZerosBehindAKeyAreNoKey) {
  const auto keys = Make({.keys = {"key"}});
  EXPECT_FALSE(keys->Admit(std::string("Bearer key\0\0", 12)));
  EXPECT_FALSE(keys->Admit("Bearer " + std::string(ApiKeys::kBytesMax, '\0')));
}

TEST_F(ApiKeysTest, FilesHoldAKeyALine) {
  const auto keys = ReadKeyFile(Write("# of the office\none\r\n\n  two \n\t# old: three\nfour#4"));
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_THAT(*keys, ElementsAre("one", "two", "four#4"));
}

TEST_F(ApiKeysTest, FilesThatHoldNoKeysAreRefused) {
  ExpectRefused("", "keys.txt: expected an API key, found none");
  ExpectRefused("# secret\n\n", "keys.txt: expected an API key, found none");
  ExpectRefused("one\nsecret two\n", "keys.txt:2: expected a key of 1 to 256 visible ASCII");
  ExpectRefused("secret,two", "keys.txt:1: expected a key");
  ExpectRefused("secret\x80", "keys.txt:1: expected a key");
  ExpectRefused("\n\n" + std::string(257, 's'), "keys.txt:3: expected a key");
  const auto missing = ReadKeyFile(folder_.path() / "nowhere.txt");
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("nowhere.txt: file not found"));
}

TEST_F(ApiKeysTest, FlagsThatAreNoKeysAreRefused) {
  for (const char* bad : {"", "sec ret", "secret,two", "secret\n"}) {
    const auto keys = ApiKeys::Create({.keys = {"one", bad}});
    ASSERT_FALSE(keys.ok()) << bad;
    EXPECT_THAT(std::string(keys.status().message()), HasSubstr("--api-key: expected a key of 1"));
    EXPECT_THAT(std::string(keys.status().message()), Not(HasSubstr("sec")));
  }
  const std::vector<std::string> many(ApiKeys::kKeysMax + 1, "k");
  EXPECT_THAT(std::string(ApiKeys::Create({.keys = many}).status().message()),
              HasSubstr("--api-key: expected at most 1024 API keys, got 1025"));
}

TEST_F(ApiKeysTest, AFileOfTooManyKeysIsNamed) {
  std::string lines;
  for (std::size_t i = 0; i < ApiKeys::kKeysMax; ++i) lines += "k\n";
  const std::filesystem::path file = Write(lines);
  EXPECT_NE(Make({.file = file}), nullptr);
  EXPECT_EQ(std::string(ApiKeys::Create({.keys = {"one"}, .file = file}).status().message()),
            file.string() + ": expected at most 1024 API keys, got 1025, 1 of them of --api-key");
  Write(lines + "k\n");
  EXPECT_EQ(std::string(ApiKeys::Create({.file = file}).status().message()),
            file.string() + ": expected at most 1024 API keys, got 1025");
}

TEST_F(ApiKeysTest, AReloadTakesTheFileAsItIsNow) {
  const auto keys = Make({.keys = {"flag"}, .file = Write("old\nboth\n")});
  EXPECT_EQ(keys->size(), 3U);
  Write("both\nnew\n");
  EXPECT_TRUE(keys->Admit("Bearer old"));
  ASSERT_TRUE(keys->Reload().ok());
  EXPECT_FALSE(keys->Admit("Bearer old"));
  for (const char* key : {"flag", "both", "new"}) {
    EXPECT_TRUE(keys->Admit(std::string("Bearer ") + key)) << key;
  }
}

TEST_F(ApiKeysTest, AReloadThatFailsChangesNothing) {
  const auto keys = Make({.file = Write("old\n")});
  for (const char* bad : {"", "new\nno key\n"}) {
    Write(bad);
    EXPECT_FALSE(keys->Reload().ok());
    EXPECT_TRUE(keys->Admit("Bearer old"));
    EXPECT_FALSE(keys->Admit("Bearer new"));
  }
  folder_.Remove("keys.txt");
  EXPECT_FALSE(keys->Reload().ok());
  EXPECT_TRUE(keys->Admit("Bearer old"));
}

TEST_F(ApiKeysTest, WhoMayReadTheFileIsLookedAt) {
  using std::filesystem::perms;
  const std::filesystem::path file = Write("key\n");
  std::filesystem::permissions(file, perms(0640));
  EXPECT_FALSE(OthersMayRead(file));
  for (const int mode : {0644, 0602}) {
    std::filesystem::permissions(file, perms(mode));
    EXPECT_TRUE(OthersMayRead(file)) << mode;
  }
  EXPECT_FALSE(OthersMayRead(folder_.path() / "nowhere.txt"));
}

}  // namespace
}  // namespace ivy
