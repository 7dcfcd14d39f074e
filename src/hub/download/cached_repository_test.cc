#include "hub/download/cached_repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/file.h"
#include "hub/temp_folder.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

using testing::IsEmpty;
using testing::UnorderedElementsAre;

const std::string kCommit(40, 'a');
const std::string kOther(40, 'b');

struct CachedRepositoryTest : testing::Test {
  TempFolder folder;
  CachedRepository cache{folder.path(), "org/name"};
};

TEST_F(CachedRepositoryTest, PathsAreHuggingFaceHubs) {
  EXPECT_EQ(cache.Blob("e"), folder.path() / "models--org--name/blobs/e");
  EXPECT_EQ(cache.Snapshot(kCommit), folder.path() / "models--org--name/snapshots" / kCommit);
  EXPECT_EQ(cache.Lock("e"), folder.path() / ".locks/models--org--name/e.lock");
  EXPECT_EQ(CachedRepository("/c", "gpt2").Blob("e"), "/c/models--gpt2/blobs/e");
}

TEST_F(CachedRepositoryTest, LinksAreRelative) {
  folder.Write("models--org--name/blobs/e", "bytes");
  ASSERT_TRUE(cache.Link("e", kCommit, "config.json").ok());
  ASSERT_TRUE(cache.Link("e", kCommit, "1_Pooling/config.json").ok());
  const fs::path snapshot = cache.Snapshot(kCommit);
  EXPECT_EQ(fs::read_symlink(snapshot / "config.json"), "../../blobs/e");
  EXPECT_EQ(fs::read_symlink(snapshot / "1_Pooling/config.json"), "../../../blobs/e");
  EXPECT_EQ(*common::ReadFile(snapshot / "1_Pooling/config.json"), "bytes");
  EXPECT_TRUE(cache.Link("e", kCommit, "config.json").ok()) << "again";
}

TEST_F(CachedRepositoryTest, ABrokenLinkIsReplaced) {
  folder.Write("models--org--name/blobs/new", "bytes");
  fs::create_directories(cache.Snapshot(kCommit));
  fs::create_symlink("../../blobs/gone", cache.Snapshot(kCommit) / "file");
  EXPECT_THAT(cache.Files(kCommit), IsEmpty());
  ASSERT_TRUE(cache.Link("new", kCommit, "file").ok());
  EXPECT_EQ(*common::ReadFile(cache.Snapshot(kCommit) / "file"), "bytes");
}

TEST_F(CachedRepositoryTest, ListsWhatIsThere) {
  folder.Write("models--org--name/blobs/e", "bytes");
  EXPECT_THAT(cache.Files(kCommit), IsEmpty());
  ASSERT_TRUE(cache.Link("e", kCommit, "config.json").ok());
  ASSERT_TRUE(cache.Link("e", kCommit, "1_Pooling/config.json").ok());
  EXPECT_THAT(cache.Files(kCommit), UnorderedElementsAre("config.json", "1_Pooling/config.json"));
}

TEST_F(CachedRepositoryTest, Refs) {
  EXPECT_EQ(cache.CommitOf("main"), std::nullopt);
  EXPECT_EQ(cache.CommitOf(kCommit), kCommit);
  ASSERT_TRUE(cache.WriteRef("main", kCommit).ok());
  ASSERT_TRUE(cache.WriteRef("refs/pr/1", kCommit).ok());
  ASSERT_TRUE(cache.WriteRef(kCommit, kCommit).ok());
  EXPECT_EQ(*common::ReadFile(folder.path() / "models--org--name/refs/main"), kCommit);
  EXPECT_EQ(cache.CommitOf("refs/pr/1"), kCommit);
  EXPECT_FALSE(fs::exists(folder.path() / "models--org--name/refs" / kCommit));
  ASSERT_TRUE(cache.WriteRef("main", kOther).ok());
  EXPECT_EQ(cache.CommitOf("main"), kOther);
  folder.Write("models--org--name/refs/bad", "../../etc").Write("models--org--name/refs/empty", "");
  EXPECT_EQ(cache.CommitOf("bad"), std::nullopt);
  EXPECT_EQ(cache.CommitOf("empty"), std::nullopt);
}

TEST_F(CachedRepositoryTest, AFileInTheWayIsNamed) {
  folder.Write("models--org--name/snapshots", "a file");
  const absl::Status link = cache.Link("e", kCommit, "config.json");
  EXPECT_EQ(link.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(link.message()), testing::HasSubstr("snapshots"));
}

}  // namespace
}  // namespace hub
