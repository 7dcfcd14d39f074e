// Whatever weight of whatever family or head is infinite or NaN: loading refuses it, or every
// answer that rests on it shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "hub/model_folder.h"
#include "hub/temp_folder.h"
#include "rose/core/reference_backend.h"
#include "rose/models/head_cases.h"
#include "rose/models/model.h"
#include "rose/models/model_rows.h"
#include "rose/models/spoilt_weights.h"

namespace rose {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// What a checkpoint holds beside what its folder's answers rest on.
bool IsUnused(const std::string& folder, const std::string& tensor) {
  if (tensor.find("pooler.") != tensor.npos) return folder != "classify-bert";
  const bool is_tied_bias = tensor == "lm_head.bias" || tensor == "cls.predictions.bias";
  return is_tied_bias && folder.ends_with("-untied");
}

class NonFiniteWeightsTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    fs::copy(HeadCasesPath(GetParam()), path_, fs::copy_options::recursive);
    cases_ = ReadHeadCases(path_);
  }

  /// The folder as it is now: the refusal, or OK after its answer was seen not to be finite.
  absl::Status Expect(const Place& place) {
    const auto folder = hub::Open(path_, {.max_length = cases_.longest()}).value();
    ReferenceBackend backend(DType::kFloat32);
    const auto model = Model::Load(folder, {}, backend);
    if (!model.ok()) return model.status();
    const ModelRows rows(**model, Pack(std::vector{&cases_.inputs[2]}, folder.normalize),
                         DType::kFloat32);
    for (const hub::Output output : hub::kAllOutputs) {
      if (!(*model)->outputs().Has(output)) continue;
      const auto values = rows.All(output);
      EXPECT_FALSE(std::all_of(values.begin(), values.end(),
                               [](float value) { return std::isfinite(value); }))
          << place.tensor << ": " << hub::OutputName(output) << " hides it";
    }
    return absl::OkStatus();
  }

  const hub::TempFolder folder_;
  const fs::path path_ = folder_.path() / GetParam();  // A reranker is known by its name.
  HeadCases cases_;
};

TEST_P(NonFiniteWeightsTest, AreRefusedOrShow) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  int refused = 0, shown = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_)) {
    if (entry.path().filename() != "model.safetensors") continue;
    const std::string sound = ReadFile(entry.path());
    for (const Place& place : PlacesIn(sound)) {
      if (IsUnused(GetParam(), place.tensor)) continue;
      for (const float value : {kInfinity, -kInfinity, std::nanf("")}) {
        WriteFile(entry.path(), Spoilt(sound, place, value));
        const absl::Status status = Expect(place);
        status.ok() ? ++shown : ++refused;
        EXPECT_TRUE(!status.ok() || place.is_table) << place.tensor;
        if (status.ok()) continue;
        EXPECT_THAT(std::string(status.message()),
                    AllOf(HasSubstr("infinity or NaN"),
                          HasSubstr(place.tensor.substr(place.tensor.rfind('.')))));
      }
    }
    WriteFile(entry.path(), sound);
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(shown, 0);
}

std::vector<std::string> Folders() {
  std::vector<std::string> folders = HeadFolders();
  std::erase_if(folders, [](const std::string& name) { return name.starts_with("storage-"); });
  return folders;
}

auto Name = [](const auto& test) { return FolderTestName(test.param); };

INSTANTIATE_TEST_SUITE_P(, NonFiniteWeightsTest, ::testing::ValuesIn(Folders()), Name);

}  // namespace
}  // namespace rose
