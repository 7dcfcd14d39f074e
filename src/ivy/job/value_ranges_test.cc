#include "ivy/job/value_ranges.h"

#include <gmock/gmock.h>

#include <fstream>

namespace ivy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<ValueRanges> Read(const std::string& json) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "ranges.json";
  std::ofstream(file) << json;
  return ReadValueRanges(file);
}

TEST(ValueRanges, OneForEachComponent) {
  const auto ranges = Read(R"({"min": [-1, 0.5], "max": [1, 0.75]})");
  ASSERT_TRUE(ranges.ok()) << ranges.status();
  EXPECT_THAT(ranges->min, ElementsAre(-1, 0.5));
  EXPECT_THAT(ranges->max, ElementsAre(1, 0.75));
}

TEST(ValueRanges, FaultsNameTheFileAndTheKey) {
  const std::pair<const char*, const char*> cases[] = {
      {"[", "ranges.json"},
      {"[]", "ranges.json: expected an object"},
      {"{}", "ranges.json: min: is missing"},
      {R"({"min": 1, "max": [1]})", "min: expected a list of numbers"},
      {R"({"min": [1, "a"], "max": [1]})", "min[1]: expected a number"},
      {R"({"min": [1e300], "max": [1]})", "min[0]: expected a number"},
      {R"({"min": [1], "max": [2, 3]})", "max: expected 1 numbers, as many as in min, got 2"},
      {R"({"min": [1, 2], "max": [2, 2]})", "max[1]: expected more than min, 2, got 2"},
  };
  for (const auto& [json, message] : cases) {
    EXPECT_THAT(std::string(Read(json).status().message()), HasSubstr(message)) << json;
  }
  EXPECT_THAT(std::string(ReadValueRanges("/nowhere.json").status().message()),
              HasSubstr("nowhere.json"));
}

}  // namespace
}  // namespace ivy
