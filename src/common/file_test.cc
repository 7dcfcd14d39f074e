#include "common/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace common {
namespace {

using ::testing::HasSubstr;

TEST(ReadFile, MissingFileIsNotFoundAndNamed) {
  const auto bytes = ReadFile("/nonexistent/model.safetensors");
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(bytes.status().message()), HasSubstr("model.safetensors"));
}

TEST(ReadFile, FolderIsRefused) {
  EXPECT_EQ(ReadFile("/").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace common
