#include "common/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace common {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ReadFile, MissingFileIsNotFoundAndNamed) {
  const auto bytes = ReadFile("/nonexistent/model.safetensors");
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(bytes.status().message()), HasSubstr("model.safetensors"));
}

TEST(ReadFile, FolderIsRefused) {
  EXPECT_EQ(ReadFile("/").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(ReadFile("/").status().message()), "/: not a file (/)");
}

class UnseenFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("parterre_") + test->name());
    fs::create_directory(folder_);
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  fs::path folder_;
};

TEST_F(UnseenFileTest, LinksInACircleAreCalledThat) {
  fs::create_symlink(folder_ / "b", folder_ / "a");
  fs::create_symlink(folder_ / "a", folder_ / "b");
  const absl::Status status = ReadFile(folder_ / "a").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), StartsWith("a: Too many levels of symbolic links"));
}

TEST_F(UnseenFileTest, WhatMayNotBeSeenIsNotCalledNoFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root sees everything";
  std::ofstream(folder_ / "file") << "text";
  fs::permissions(folder_ / "file", fs::perms::none);
  EXPECT_THAT(std::string(ReadFile(folder_ / "file").status().message()),
              StartsWith("file: cannot be read: Permission denied"));
  fs::permissions(folder_, fs::perms::none);
  const absl::Status status = ReadFile(folder_ / "file").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), StartsWith("file: Permission denied"));
}

}  // namespace
}  // namespace common
