// The model folders under tests/data, and those beside the project where they are there. Of the
// malformed ones, faults of the file itself must be refused by Weights::Open, the rest is for
// others to see.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/json.h"
#include "rose/weights/weight_file.h"
#include "rose/weights/weights.h"

namespace rose {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::set<std::string> kRefused = {
    "truncated_safetensors",    "header_length_huge",   "header_length_zero", "file_empty",
    "header_not_utf8",          "hole_between_tensors", "offsets_reversed",   "shape_negative",
    "bytes_do_not_match_shape",
};

/// Returns how many folders were refused, as all of kRefused must be.
int CheckBadFolders(const fs::path& root) {
  int refused = 0;
  const json bad = *common::ReadJsonFile(root / "bad.json");
  for (const json& item : bad["cases"]) {
    const std::string folder = item["folder"];
    const fs::path file = root / folder / "model.safetensors";
    if (!fs::exists(file)) continue;
    SCOPED_TRACE(folder);
    const absl::Status status = Weights::Open(std::span(&file, 1)).status();
    EXPECT_EQ(!status.ok(), kRefused.contains(folder)) << status;
    if (status.ok()) continue;
    ++refused;
    const json& names = item["message_should_name_one_of"];
    EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::string(status.message()).find(name) != std::string::npos;
    })) << status;
  }
  const fs::path sound = root / "ok/model.safetensors";
  EXPECT_TRUE(Weights::Open(std::span(&sound, 1)).ok());
  return refused;
}

/// Every header must hold the tensors that cases.json counts. Returns how many folders were read.
int CheckSoundFolders(const fs::path& root) {
  int folders = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    if (!fs::exists(entry.path() / "cases.json")) continue;
    SCOPED_TRACE(entry.path().filename());
    const json cases = *common::ReadJsonFile(entry.path() / "cases.json");
    const auto file = WeightFile::Open(entry.path() / "model.safetensors");
    EXPECT_TRUE(file.ok()) << file.status();
    if (!file.ok()) continue;
    EXPECT_EQ(static_cast<int>(file->tensors.size()), cases["tensors"]);
    ++folders;
  }
  return folders;
}

const fs::path kCheckedIn = fs::path(PARTERRE_TEST_DATA) / "models";
const fs::path kShared = fs::path(PARTERRE_SHARED_CASES) / "models";

TEST(ModelFiles, CheckedInAreWhole) { EXPECT_GE(CheckSoundFolders(kCheckedIn), 9); }

TEST(ModelFiles, CheckedInMalformedAreRefused) {
  EXPECT_EQ(CheckBadFolders(kCheckedIn / "bad"), static_cast<int>(kRefused.size()));
}

TEST(ModelFiles, SharedAreWhole) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "no " << kShared;
  const int folders = CheckSoundFolders(kShared);
  std::cout << folders << " shared model folders" << std::endl;
  EXPECT_GE(folders, 28);
}

TEST(ModelFiles, SharedMalformedAreRefused) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "no " << kShared;
  const int refused = CheckBadFolders(kShared / "bad");
  std::cout << refused << " shared weight files refused" << std::endl;
  EXPECT_EQ(refused, static_cast<int>(kRefused.size()));
}

}  // namespace
}  // namespace rose
