#include "hub/download/hub_id.h"

#include <gtest/gtest.h>

#include <string>

namespace hub {
namespace {

TEST(HubIdTest, TellsIdsFromPaths) {
  for (const char* id : {"gpt2", "Qwen/Qwen3-Embedding-0.6B", "BAAI/bge-m3", "a/b_c", "_/_"}) {
    EXPECT_TRUE(IsHubId(id)) << id;
  }
  for (const char* path :
       {"", "/", ".", "./a", "../a", "/models/a", "a/b/c", "a/", "/a", "a b", "~", "a--b/c", "a..b",
        "org/name.git", "org/-name", "org/name.", "a\\b", "d\xc3\xa9j\xc3\xa0", "a=b"}) {
    EXPECT_FALSE(IsHubId(path)) << path;
  }
  EXPECT_TRUE(IsHubId(std::string(96, 'a')));
  EXPECT_FALSE(IsHubId(std::string(97, 'a')));
}

TEST(HubIdTest, TellsNamesThatLeaveTheFolder) {
  for (const char* name : {"config.json", "1_Pooling/config.json", "a/b/..c", ".gitattributes",
                           "a b", "refs/pr/1", "d\xc3\xa9j\xc3\xa0"}) {
    EXPECT_TRUE(IsNameInside(name)) << name;
  }
  for (const char* name : {"", "/etc/passwd", "..", "../a", "a/..", "a/../b", ".", "./a", "a//b",
                           "a/", "a\\..\\b", "a\nb", "a\x1b[2J", "a\x7f"}) {
    EXPECT_FALSE(IsNameInside(name)) << name;
  }
}

TEST(HubIdTest, TellsCommits) {
  EXPECT_TRUE(IsCommit("0123456789abcdef0123456789ABCDEF01234567"));
  EXPECT_FALSE(IsCommit("0123456789abcdef0123456789abcdef0123456"));
  EXPECT_FALSE(IsCommit("g123456789abcdef0123456789abcdef01234567"));
  EXPECT_FALSE(IsCommit("main"));
}

}  // namespace
}  // namespace hub
