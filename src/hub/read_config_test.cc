#include "hub/read_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hub/temp_folder.h"

namespace hub {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(PathInside, StaysInside) {
  EXPECT_EQ(*PathInside("m", "1_Pooling", "f"), "m/1_Pooling");
  EXPECT_EQ(*PathInside("m", "a/../b", "f"), "m/b");
  EXPECT_EQ(*PathInside("m", "", "f"), "m");
  EXPECT_EQ(*PathInside("m", "..name", "f"), "m/..name");
}

TEST(PathInside, WaysOutAreRefused) {
  for (const char* path : {"..", "../x", "a/../../x", "/x", "./../x"}) {
    EXPECT_EQ(std::string(PathInside("m", path, "f.json").status().message()),
              std::string("f.json: \"") + path + "\" leaves the model folder");
  }
}

TEST(ReadConfig, ErrorsNameTheFileWithItsFolder) {
  TempFolder folder;
  const auto read = [&] {
    return std::string(ReadConfig(folder.path(), "1_Pooling/config.json").status().message());
  };
  EXPECT_THAT(read(), StartsWith("1_Pooling/config.json: file not found"));
  folder.Write("1_Pooling/config.json", "{");
  EXPECT_THAT(read(), StartsWith("1_Pooling/config.json: not JSON"));
  folder.Write("1_Pooling/config.json", "[]");
  EXPECT_EQ(read(), "1_Pooling/config.json: expected a JSON object");
}

TEST(ReadConfigIfThere, AbsentIsNoErrorButABrokenLinkIs) {
  TempFolder folder;
  EXPECT_EQ(ReadConfigIfThere(folder.path(), "c.json")->has_value(), false);
  std::filesystem::create_symlink("nowhere", folder.path() / "c.json");
  EXPECT_THAT(std::string(ReadConfigIfThere(folder.path(), "c.json").status().message()),
              HasSubstr("c.json: broken link"));
}

}  // namespace
}  // namespace hub
