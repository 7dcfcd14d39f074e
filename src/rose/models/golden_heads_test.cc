// The heads and bodies that the model suite leaves out, on the reference operations, against what
// transformers and sentence-transformers give (tests/data/heads).
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "hub/model_folder.h"
#include "rose/core/reference_backend.h"
#include "rose/models/head_cases.h"
#include "rose/models/model.h"
#include "rose/models/model_rows.h"

namespace rose {
namespace {

using hub::Output;

class GoldenHeadsTest : public ::testing::TestWithParam<std::tuple<std::string, DType>> {
 protected:
  void SetUp() override {
    const auto path = HeadCasesPath(std::get<0>(GetParam()));
    cases_ = ReadHeadCases(path);
    const auto folder = hub::Open(path, {.max_length = cases_.longest()});
    ASSERT_TRUE(folder.ok()) << folder.status();
    normalize_ = folder->normalize;
    auto model = Model::Load(*folder, /*source=*/{}, backend_);
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
  }

  ModelRows Run(std::span<const HeadCases::Input* const> inputs) const {
    return ModelRows(*model_, Pack(inputs, normalize_), dtype_);
  }

  const DType dtype_ = std::get<1>(GetParam());
  ReferenceBackend backend_{dtype_};
  std::unique_ptr<Model> model_;
  HeadCases cases_;
  bool normalize_ = false;
};

TEST_P(GoldenHeadsTest, EveryInputAlone) {
  int compared = 0;
  for (const auto& input : cases_.inputs) {
    const ModelRows rows = Run(std::vector{&input});
    for (const Output output : hub::kAllOutputs) {
      const std::vector<float>& expected = input.expected[output];
      if (expected.empty()) continue;
      ASSERT_EQ(rows.All(output).size(), expected.size()) << hub::OutputName(output);
      EXPECT_LE(MaxAbs(rows.All(output), expected), cases_.limit(output, dtype_))
          << hub::OutputName(output) << " of " << input.name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 3);
}

// The reference operations sum in one order, so that neighbours change not a bit.
TEST_P(GoldenHeadsTest, BatchesGiveWhatEachInputGivesAlone) {
  for (const auto& batch : cases_.batches) {
    const ModelRows together = Run(batch);
    hub::PerOutput<std::size_t> row;
    for (const auto* input : batch) {
      const ModelRows alone = Run(std::vector{input});
      for (const Output output : hub::kAllOutputs) {
        if (!model_->outputs().Has(output)) continue;
        const std::size_t rows = model_->shape(output).per_token ? input->ids.size() : 1;
        for (std::size_t i = 0; i < rows; ++i, ++row[output]) {
          EXPECT_EQ(MaxAbs(alone.Row(output, i), together.Row(output, row[output])), 0)
              << hub::OutputName(output) << " of " << input->name;
        }
      }
    }
  }
}

auto Name = [](const auto& test) {
  return FolderTestName(std::get<0>(test.param), std::get<1>(test.param));
};

INSTANTIATE_TEST_SUITE_P(, GoldenHeadsTest,
                         ::testing::Combine(::testing::ValuesIn(HeadFolders()),
                                            ::testing::Values(DType::kFloat32, DType::kBFloat16)),
                         Name);

TEST(GoldenHeads, AreAllThere) { EXPECT_EQ(HeadFolders().size(), 32u); }

/// Of the longest input.
std::vector<float> DenseOf(const std::string& name) {
  const auto path = HeadCasesPath(name);
  const HeadCases cases = ReadHeadCases(path);
  ReferenceBackend backend(DType::kFloat32);
  const auto model = Model::Load(hub::Open(path).value(), {}, backend).value();
  const ModelRows rows(*model, Pack(std::vector{&cases.inputs.back()}, false), DType::kFloat32);
  const auto all = rows.All(Output::kDense);
  return {all.begin(), all.end()};
}

// The same numbers, whatever files and types they are stored in.
TEST(GoldenHeads, StorageChangesNotABit) {
  const std::vector<float> expected = DenseOf("storage-float32");
  ASSERT_EQ(expected.size(), 32u);
  for (const char* name : {"storage-float16", "storage-bfloat16", "storage-shards", "storage-torch",
                           "storage-torch-shards"}) {
    EXPECT_EQ(DenseOf(name), expected) << name;
  }
}

}  // namespace
}  // namespace rose
