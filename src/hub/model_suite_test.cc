// The model folders under tests/data, and the larger suite beside the project where it is there:
// what their files ask for must be read as their cases.json says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/json.h"
#include "hub/model_folder.h"

namespace hub {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

const fs::path kCheckedIn = fs::path(PARTERRE_TEST_DATA) / "models";
const fs::path kShared = fs::path(PARTERRE_SHARED_CASES) / "models";

// Folders that ask for something that is not built yet, and what the refusal has to name.
const std::map<std::string, std::string> kNotSupportedYet = {
    {"gemma3-embedding", "modules.json: module 2 .*Dense"},
    {"pplx-embed", "modules.json: module 2 .*FlexibleQuantizer"},
};

// Malformed folders whose fault stands in the files that hub reads; the rest must open here.
const std::set<std::string> kRefusedByHub = {
    "config_missing", "config_nested_deep",       "heads_do_not_divide", "kv_heads_do_not_divide",
    "module_unknown", "shard_path_leaves_folder", "pooling_none",        "pooling_dimension",
};

void ExpectAsInCases(const fs::path& folder) {
  const absl::StatusOr<ModelFolder> model = Open(folder);
  if (const auto refused = kNotSupportedYet.find(folder.filename());
      refused != kNotSupportedYet.end()) {
    EXPECT_THAT(std::string(model.status().message()), ContainsRegex(refused->second));
    return;
  }
  ASSERT_TRUE(model.ok()) << model.status();
  const json cases = *common::ReadJsonFile(folder / "cases.json");
  EXPECT_EQ(model->model_type, cases["model_type"]);
  if (cases["task"] != "embedding") {
    // The cases of the other tasks may cut shorter than the model asks for.
    EXPECT_GE(model->max_length, cases.value("max_length", 1));
    EXPECT_TRUE(model->pooling_is_default);
    return;
  }
  ASSERT_EQ(model->pooling.modes.size(), 1u);
  const std::string pooling = cases["pooling"];
  EXPECT_EQ(PoolingModeName(model->pooling.modes[0]),
            pooling == "lasttoken" ? "last_token" : pooling);
  EXPECT_EQ(model->pooling.include_prompt, cases.value("include_prompt", true));
  EXPECT_FALSE(model->pooling_is_default);
  EXPECT_EQ(model->normalize, cases["normalize"]);
  EXPECT_EQ(model->max_length, cases["max_length"]);
}

int CheckSound(const fs::path& root) {
  int folders = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    if (!fs::exists(entry.path() / "cases.json")) continue;
    SCOPED_TRACE(entry.path().filename());
    ExpectAsInCases(entry.path());
    ++folders;
  }
  return folders;
}

int CheckBad(const fs::path& root) {
  const json bad = *common::ReadJsonFile(root / "bad.json");
  EXPECT_TRUE(Open(root / std::string(bad["sound_folder"])).ok());
  for (const json& item : bad["cases"]) {
    const std::string folder = item["folder"];
    SCOPED_TRACE(folder);
    const absl::Status status = Open(root / folder).status();
    if (!kRefusedByHub.contains(folder)) {
      EXPECT_TRUE(status.ok()) << status;
      continue;
    }
    EXPECT_FALSE(status.ok());
    const std::string named = item["message_should_name_one_of"][0];
    EXPECT_THAT(std::string(status.message()), HasSubstr(named));
  }
  return static_cast<int>(bad["cases"].size());
}

TEST(ModelSuite, CheckedInFoldersAreReadAsTheirCasesSay) { EXPECT_EQ(CheckSound(kCheckedIn), 2); }

TEST(ModelSuite, CheckedInMalformedFoldersAreRefusedByName) {
  EXPECT_GT(CheckBad(kCheckedIn / "bad"), 20);
}

TEST(ModelSuite, SharedFoldersAreReadAsTheirCasesSay) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "no " << kShared;
  const int folders = CheckSound(kShared);
  std::cout << folders << " shared model folders, of which refused for now:";
  for (const auto& [name, reason] : kNotSupportedYet)
    std::cout << " " << name << " (" << reason << ")";
  std::cout << std::endl;
  EXPECT_GE(folders, 28);
}

TEST(ModelSuite, SharedMalformedFoldersAreRefusedByName) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "no " << kShared;
  const int folders = CheckBad(kShared / "bad");
  std::cout << folders << " shared malformed folders" << std::endl;
  EXPECT_GE(folders, 24);
}

}  // namespace
}  // namespace hub
