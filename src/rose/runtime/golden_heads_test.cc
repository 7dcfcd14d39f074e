// The heads and bodies that the model suite leaves out, on the engine that this build prefers,
// against what transformers and sentence-transformers give (tests/data/heads).
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hub/model_folder.h"
#include "rose/models/head_cases.h"
#include "rose/runtime/engine.h"

namespace rose {
namespace {

using hub::Output;

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

auto Name = [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};

INSTANTIATE_TEST_SUITE_P(, GoldenHeadsEngineTest, ::testing::ValuesIn(HeadFolders()), Name);

}  // namespace
}  // namespace rose
