#include "hub/download/find_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "hub/download/cached_repository.h"
#include "hub/temp_folder.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

const std::string kCommit(40, 'a');

/// A cache without a network; tests/e2e has a hub.
struct FindModelTest : testing::Test {
  FindModelTest() {
    ::setenv("HF_HOME", folder.path().c_str(), 1);
    ::setenv("HF_HUB_OFFLINE", "1", 1);
    ::unsetenv("HF_HUB_CACHE");
  }
  ~FindModelTest() override {
    ::unsetenv("HF_HOME");
    ::unsetenv("HF_HUB_OFFLINE");
  }
  void Cache(const std::string& file, std::string_view bytes) {
    folder.Write("hub/models--org--name/blobs/" + std::to_string(++blobs), bytes);
    ASSERT_TRUE(cache.Link(std::to_string(blobs), kCommit, file).ok());
    ASSERT_TRUE(cache.WriteRef("main", kCommit).ok());
  }
  std::string ErrorOf(const FindModelOptions& options = {}) {
    return std::string(FindModel("org/name", options).status().message());
  }

  TempFolder folder;
  CachedRepository cache{folder.path() / "hub", "org/name"};
  int blobs = 0;
};

TEST_F(FindModelTest, PathsStayAsTheyAre) {
  for (const std::string& path : {folder.path().string(), std::string("."), std::string("/none"),
                                  std::string("./org/name"), std::string("a/b/c")}) {
    const auto found = FindModel(path);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->path, path);
    EXPECT_EQ(found->id, "");
  }
}

TEST_F(FindModelTest, FindsWhatIsCached) {
  Cache("config.json", "{}");
  Cache("model.safetensors", "");
  const auto found = FindModel("org/name");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->path, cache.Snapshot(kCommit));
  EXPECT_EQ(found->id, "org/name");
  EXPECT_EQ(FindModel("org/name", {.revision = kCommit})->path, found->path);
}

TEST_F(FindModelTest, SaysWhatTheCacheLacks) {
  EXPECT_THAT(ErrorOf(), HasSubstr("org/name: HF_HUB_OFFLINE is set, and the cache"));
  Cache("tokenizer.json", "{}");
  EXPECT_THAT(ErrorOf(), HasSubstr("lacks config.json"));
  Cache("config.json", "{}");
  EXPECT_THAT(ErrorOf(), HasSubstr("lacks model.safetensors"));
  EXPECT_EQ(ErrorOf({.weights = false}), "");
  EXPECT_THAT(ErrorOf({.revision = "v2"}), HasSubstr("no revision v2"));
  EXPECT_THAT(ErrorOf({.revision = "../x"}), HasSubstr("--revision: expected"));
  Cache("model.safetensors.index.json", R"({"weight_map": {"a": "shard-1", "b": "shard-2"}})");
  Cache("shard-1", "");
  EXPECT_THAT(ErrorOf(), HasSubstr("lacks shard-2"));
  Cache("shard-2", "");
  EXPECT_EQ(ErrorOf(), "");
}

TEST_F(FindModelTest, TheModelMayStandInAModulesFolder) {
  Cache("modules.json", R"([{"path": "0_Transformer"}, {"path": "1_Pooling"}])");
  EXPECT_THAT(ErrorOf(), HasSubstr("lacks 0_Transformer/config.json"));
  Cache("0_Transformer/config.json", "{}");
  Cache("0_Transformer/pytorch_model.bin", "");
  EXPECT_EQ(ErrorOf(), "");
}

}  // namespace
}  // namespace hub
