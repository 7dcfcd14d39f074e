// The heads and bodies that the model suite leaves out, on the engine that this build prefers,
// against what transformers and sentence-transformers give (tests/data/heads).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hub/model_folder.h"
#include "hub/temp_folder.h"
#include "rose/models/head_cases.h"
#include "rose/models/spoilt_weights.h"
#include "rose/runtime/engine.h"

namespace rose {
namespace {

using hub::Output;

bool IsTableOfWords(const std::string& tensor) {
  return tensor.ends_with("word_embeddings.weight") || tensor.ends_with("tok_embeddings.weight") ||
         tensor.ends_with("embed_tokens.weight");
}

/// Whether all outputs of the folder's engine show it; false if the folder is refused for it.
bool ShowsNaN(const std::filesystem::path& path) {
  const hub::ModelFolder folder = hub::Open(path).value();
  const auto engine = Engine::Create(
      folder, {.dtype = "float32", .max_batch_tokens = 256, .workers = 1, .measure_curve = false});
  if (!engine.ok()) {
    EXPECT_TRUE(folder.splade) << engine.status();
    return false;
  }
  const HeadCases cases = ReadHeadCases(path);
  const PackedSequences sequences = Pack(std::vector{&cases.inputs[1]}, folder.normalize);
  const auto lazy = (*engine)->Step(sequences.batch(folder.outputs));
  bool all_show = true;
  for (const Output output : hub::kAllOutputs) {
    if (!folder.outputs.Has(output)) continue;
    const auto values = lazy->Wait()[output].values;
    const bool shows =
        std::any_of(values.begin(), values.end(), [](float value) { return std::isnan(value); });
    EXPECT_TRUE(shows) << folder.name << ": " << hub::OutputName(output) << " hides it";
    all_show = all_show && shows;
  }
  return all_show;
}

class GoldenHeadsEngineTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto path = HeadCasesPath(GetParam());
    cases_ = ReadHeadCases(path);
    const auto folder = hub::Open(path, {.max_length = cases_.longest()});
    ASSERT_TRUE(folder.ok()) << folder.status();
    normalize_ = folder->normalize;
    auto engine = Engine::Create(
        *folder,
        {.dtype = "float32", .max_batch_tokens = 2048, .workers = 2, .measure_curve = false});
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
    for (const Output output : hub::kAllOutputs) {
      if (engine_->info().outputs[output].columns > 0) outputs_ |= output;
    }
  }

  /// Everything that the engine has, from one pass; each of the batch's inputs against its own.
  void Check(std::span<const HeadCases::Input* const> inputs) {
    const PackedSequences sequences = Pack(inputs, normalize_);
    const auto lazy = engine_->Step(sequences.batch(outputs_));
    const auto rows = lazy->Wait();
    for (const Output output : hub::kAllOutputs) {
      const OutputShape& shape = engine_->info().outputs[output];
      std::span<const float> rest = rows[output].values;
      for (const HeadCases::Input* input : inputs) {
        const auto count = static_cast<std::size_t>(
            shape.rows(1, static_cast<int64_t>(input->ids.size())) * shape.columns);
        ASSERT_LE(count, rest.size());
        const auto got = rest.first(count);
        rest = rest.subspan(count);
        const std::vector<float>& expected = input->expected[output];
        if (expected.empty()) continue;
        ASSERT_EQ(got.size(), expected.size()) << hub::OutputName(output);
        EXPECT_LE(MaxAbs(got, expected), cases_.limit(output, DType::kFloat32))
            << hub::OutputName(output) << " of " << input->name;
        ++compared_;
      }
      EXPECT_TRUE(rest.empty()) << hub::OutputName(output);
    }
  }

  HeadCases cases_;
  std::unique_ptr<Engine> engine_;
  hub::Outputs outputs_;
  bool normalize_ = false;
  int compared_ = 0;
};

TEST_P(GoldenHeadsEngineTest, AloneAndTogether) {
  for (const auto& input : cases_.inputs) Check(std::vector{&input});
  for (const auto& batch : cases_.batches) Check(batch);
  EXPECT_GE(compared_, 9);
}

// The table of words is let through when a model loads, unless a head multiplies by it.
TEST(NonFiniteWeightsEngine, NoHeadHidesAWordThatIsNaN) {
  int shown = 0;
  for (const std::string& name : HeadFolders()) {
    const hub::TempFolder copy;
    const auto path = copy.path() / name;
    std::filesystem::copy(HeadCasesPath(name), path, std::filesystem::copy_options::recursive);
    const auto file = path / "model.safetensors";
    if (!std::filesystem::exists(file)) continue;
    const std::string sound = ReadFile(file);
    for (const Place& place : PlacesIn(sound)) {
      if (!IsTableOfWords(place.tensor)) continue;
      WriteFile(file, Spoilt(sound, place, std::nanf("")));
      shown += ShowsNaN(path) ? 1 : 0;
    }
  }
  EXPECT_GE(shown, 25);
}

auto Name = [](const auto& test) { return FolderTestName(test.param); };

INSTANTIATE_TEST_SUITE_P(, GoldenHeadsEngineTest, ::testing::ValuesIn(HeadFolders()), Name);

}  // namespace
}  // namespace rose
