// Every family on the reference operations against what transformers and sentence-transformers
// give.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "hub/model_folder.h"
#include "rose/core/reference_backend.h"
#include "rose/models/model.h"
#include "rose/models/model_cases.h"
#include "rose/models/model_rows.h"

namespace rose {
namespace {

using hub::Output;

class ModelSuiteTest : public ::testing::TestWithParam<std::tuple<const char*, DType>> {
 protected:
  void SetUp() override {
    const auto path = ModelCasesPath(std::get<0>(GetParam()));
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "the suite's " << path << " is not there";
    cases_ = ReadModelCases(path);
    const auto folder = hub::Open(path, {.max_length = cases_.longest()});
    ASSERT_TRUE(folder.ok()) << folder.status();
    normalizes_ = folder->normalize;
    auto model = Model::Load(*folder, /*source=*/{}, backend_);
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
  }

  ModelRows Run(const PackedSequences& sequences) const {
    return ModelRows(*model_, sequences, dtype_);
  }

  const DType dtype_ = std::get<1>(GetParam());
  ReferenceBackend backend_{dtype_};
  std::unique_ptr<Model> model_;
  ModelCases cases_;
  bool normalizes_ = false;  ///< The folder's own modules do.
};

using EmbeddingSuiteTest = ModelSuiteTest;
using ScoreSuiteTest = ModelSuiteTest;

TEST_P(EmbeddingSuiteTest, EveryInputAlone) {
  ASSERT_GE(cases_.inputs.size(), 20u);
  Comparison pooled(cases_, dtype_), hidden_states(cases_, dtype_);
  for (const auto& input : cases_.inputs) {
    PackedSequences alone;
    alone.Add(input, false);
    const ModelRows rows = Run(alone);
    pooled.Pooled(input, rows.All(Output::kDense));
    if (input.last_hidden_state.empty()) continue;
    hidden_states.LastHiddenState(input, rows.All(Output::kTokens));
  }
  pooled.Median();
  hidden_states.Median();
}

// Every other row normalised, where the folder says so. The reference operations sum in one order,
// so that neighbours change not a bit.
TEST_P(EmbeddingSuiteTest, MixedBatches) {
  ASSERT_GE(cases_.batches.size(), 3u);
  for (const auto& batch : cases_.batches) {
    Comparison comparison(cases_, dtype_);
    PackedSequences sequences;
    const auto normalized = [&](std::size_t i) { return normalizes_ && i % 2 == 0; };
    for (std::size_t i = 0; i < batch.size(); ++i) sequences.Add(*batch[i], normalized(i));
    const ModelRows rows = Run(sequences);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto row = rows.Row(Output::kDense, i);
      comparison.Vector(*batch[i], normalized(i), row);
      PackedSequences alone;
      alone.Add(*batch[i], normalized(i));
      EXPECT_EQ(MaxAbs(Run(alone).All(Output::kDense), row), 0) << batch[i]->name;
    }
  }
}

TEST_P(ScoreSuiteTest, AloneAndTogether) {
  ASSERT_GE(cases_.scored.size(), 8u);
  const double max_abs = cases_.tolerance(dtype_).max_abs_logit;
  ASSERT_GT(max_abs, 0);
  PackedSequences together;
  for (const auto& scored : cases_.scored) together.Add(scored.ids, false, scored.type_ids);
  const ModelRows rows = Run(together);
  for (std::size_t i = 0; i < cases_.scored.size(); ++i) {
    const auto& scored = cases_.scored[i];
    PackedSequences alone;
    alone.Add(scored.ids, false, scored.type_ids);
    EXPECT_EQ(MaxAbs(Run(alone).All(Output::kScores), rows.Row(Output::kScores, i)), 0);
    ASSERT_EQ(rows.Row(Output::kScores, i).size(), scored.logits.size());
    EXPECT_LE(MaxAbs(scored.logits, rows.Row(Output::kScores, i)), max_abs) << scored.name;
  }
}

constexpr auto kName = [](const auto& test) {
  return FolderTestName(std::get<0>(test.param), std::get<1>(test.param));
};
const auto kBoth = ::testing::Values(DType::kFloat32, DType::kBFloat16);

INSTANTIATE_TEST_SUITE_P(, EmbeddingSuiteTest,
                         ::testing::Combine(::testing::ValuesIn(kEmbeddingFolders), kBoth), kName);
INSTANTIATE_TEST_SUITE_P(, ScoreSuiteTest,
                         ::testing::Combine(::testing::ValuesIn(kScoreFolders), kBoth), kName);

}  // namespace
}  // namespace rose
