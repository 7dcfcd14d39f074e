#pragma once

// For tests only: a folder that is opened again and again.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "hub/model_folder.h"
#include "hub/temp_folder.h"

namespace hub {

class OpenFixture : public ::testing::Test {
 protected:
  /// What Open says of the folder, or of one `below` it, which must be sound.
  ModelFolder Sound(const OpenOptions& options = {}, const std::filesystem::path& below = "") {
    absl::StatusOr<ModelFolder> model = Open(At(below), options);
    EXPECT_TRUE(model.ok()) << model.status();
    return model.ok() ? *std::move(model) : ModelFolder();
  }
  /// The message with which Open refuses it; empty if it does not.
  std::string Refusal(const OpenOptions& options = {}, const std::filesystem::path& below = "") {
    return std::string(Open(At(below), options).status().message());
  }

  std::filesystem::path At(const std::filesystem::path& below) const {
    return below.empty() ? folder_.path() : folder_.path() / below;
  }

  TempFolder folder_;
};

}  // namespace hub
