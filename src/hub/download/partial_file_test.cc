#include "hub/download/partial_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "common/file.h"
#include "hub/temp_folder.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

TEST(PartialFileTest, TakesItsNameWhenItIsWhole) {
  TempFolder folder;
  const fs::path path = folder.path() / "blobs/e";
  {
    auto file = PartialFile::Open(path);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->size(), 0);
    ASSERT_TRUE(file->Append("half").ok());
  }
  EXPECT_FALSE(fs::exists(path));
  auto file = PartialFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->size(), 4);
  ASSERT_TRUE(file->Append(" and half").ok());
  EXPECT_EQ(file->size(), 13);
  ASSERT_TRUE(file->Finish().ok());
  EXPECT_EQ(*common::ReadFile(path), "half and half");
  EXPECT_FALSE(fs::exists(path.string() + ".incomplete"));
}

TEST(PartialFileTest, Restarts) {
  TempFolder folder;
  auto file = PartialFile::Open(folder.path() / "e");
  ASSERT_TRUE(file.ok() && file->Append("wrong").ok() && file->Restart().ok());
  EXPECT_EQ(file->size(), 0);
  ASSERT_TRUE(file->Append("right").ok() && file->Finish().ok());
  EXPECT_EQ(*common::ReadFile(folder.path() / "e"), "right");
}

TEST(PartialFileTest, Errors) {
  TempFolder folder;
  folder.Write("file", "");
  EXPECT_EQ(PartialFile::Open(folder.path() / "file/e").status().code(),
            absl::StatusCode::kFailedPrecondition);
  auto file = PartialFile::Open(folder.path() / "e");
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->ExpectRoom(1).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(file->ExpectRoom(int64_t{1} << 62)));
}

TEST(PartialFileTest, AFullDiskKeepsWhatFitted) {
  TempFolder folder;
  auto file = PartialFile::Open(folder.path() / "e");
  ASSERT_TRUE(file.ok());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {.rlim_cur = 10, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const absl::Status status = file->Append("0123456789abcdef");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("e.incomplete"));
  EXPECT_EQ(file->size(), 10);
}

}  // namespace
}  // namespace hub
