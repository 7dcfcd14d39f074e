#include "hub/download/digest.h"

#include <gtest/gtest.h>

#include "hub/temp_folder.h"

namespace hub {
namespace {

// Of "hello\n", as sha256sum and git hash-object give them.
constexpr char kSha256[] = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
constexpr char kGitSha1[] = "ce013625030ba8dba906f756967f9e9ca394464a";

TEST(DigestTest, NamesBytesAsHubsDo) {
  TempFolder folder;
  folder.Write("file", "hello\n").Write("empty", "");
  EXPECT_EQ(*FileDigest(folder.path() / "file", DigestKind::kSha256), kSha256);
  EXPECT_EQ(*FileDigest(folder.path() / "file", DigestKind::kGitSha1), kGitSha1);
  EXPECT_EQ(*FileDigest(folder.path() / "empty", DigestKind::kGitSha1),
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
}

TEST(DigestTest, IsToldByItsLength) {
  EXPECT_EQ(DigestKindOf(kSha256), DigestKind::kSha256);
  EXPECT_EQ(DigestKindOf(kGitSha1), DigestKind::kGitSha1);
  EXPECT_EQ(DigestKindOf("5891b5"), std::nullopt);
  EXPECT_EQ(DigestKindOf(std::string(64, 'x')), std::nullopt);
}

TEST(DigestTest, Errors) {
  TempFolder folder;
  EXPECT_EQ(FileDigest(folder.path() / "none", DigestKind::kSha256).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace hub
