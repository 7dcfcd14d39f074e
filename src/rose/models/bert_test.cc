// BERT on the reference operations against what transformers and sentence-transformers give.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "hub/model_folder.h"
#include "rose/core/element.h"
#include "rose/core/reference_backend.h"
#include "rose/core/reference_ops.h"
#include "rose/models/embedding_model.h"
#include "rose/models/model_cases.h"
#include "rose/weights/weights.h"

namespace rose {
namespace {

class BertTest : public ::testing::TestWithParam<std::tuple<const char*, DType>> {
 protected:
  void SetUp() override {
    const auto path = ModelCasesPath(std::get<0>(GetParam()));
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    const auto folder = hub::Open(path);
    ASSERT_TRUE(folder.ok()) << folder.status();
    auto weights = Weights::Open(folder->weight_files);
    ASSERT_TRUE(weights.ok()) << weights.status();
    auto model = EmbeddingModel::Load(*folder, **weights, backend_);
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    cases_ = ReadModelCases(path);
    ASSERT_GE(cases_.inputs.size(), 20u);
    ASSERT_GE(cases_.batches.size(), 3u);
  }

  /// Rows of the model's output, one after the other.
  std::vector<float> Run(const PackedSequences& sequences) const {
    ReferenceOps ops = MakeOps(sequences);
    const auto rows = static_cast<int64_t>(sequences.normalize.size());
    std::vector<float> values(rows * model_->dimension());
    model_->Run(ops, sequences.input(),
                {.data = values.data(), .rows = rows, .cols = model_->dimension()});
    return values;
  }

  ReferenceOps MakeOps(const PackedSequences& sequences) const {
    return ReferenceOps(dtype_, model_->ArenaBytes(dtype_, sequences.input().shape.tokens()));
  }

  std::span<const float> Row(const std::vector<float>& values, std::size_t row) const {
    const auto columns = static_cast<std::size_t>(model_->dimension());
    return std::span(values).subspan(row * columns, columns);
  }

  const DType dtype_ = std::get<1>(GetParam());
  ReferenceBackend backend_{dtype_};
  std::unique_ptr<EmbeddingModel> model_;
  ModelCases cases_;
};

TEST_P(BertTest, EveryInputAlone) {
  Comparison comparison(cases_, dtype_);
  for (const auto& input : cases_.inputs) {
    PackedSequences alone;
    alone.Add(input.ids, false);
    comparison.Pooled(input, Run(alone));
  }
  comparison.Median();
}

TEST_P(BertTest, AllInputsTogether) {
  PackedSequences all;
  for (const auto& input : cases_.inputs) all.Add(input.ids, true);
  const std::vector<float> got = Run(all);
  Comparison comparison(cases_, dtype_);
  for (std::size_t i = 0; i < cases_.inputs.size(); ++i) {
    comparison.Embedding(cases_.inputs[i], Row(got, i));
  }
  comparison.Median();
}

// Every other row normalised. The reference operations sum in one order, so that neighbours change
// not a bit.
TEST_P(BertTest, MixedBatches) {
  for (const auto& batch : cases_.batches) {
    Comparison comparison(cases_, dtype_);
    PackedSequences sequences;
    for (std::size_t i = 0; i < batch.size(); ++i) sequences.Add(batch[i]->ids, i % 2 == 0);
    const std::vector<float> got = Run(sequences);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      comparison.Vector(*batch[i], /*normalized=*/i % 2 == 0, Row(got, i));
      PackedSequences alone;
      alone.Add(batch[i]->ids, i % 2 == 0);
      EXPECT_EQ(MaxAbs(Run(alone), Row(got, i)), 0) << batch[i]->name;
    }
  }
}

TEST_P(BertTest, LastHiddenStates) {
  Comparison comparison(cases_, dtype_);
  for (const auto& input : cases_.inputs) {
    if (input.last_hidden_state.empty()) continue;
    PackedSequences sequences;
    sequences.Add(input.ids, false);
    ReferenceOps ops = MakeOps(sequences);
    const Tensor hidden = model_->encoder().Forward(ops, sequences.input());
    std::vector<float> got;
    for (int64_t i = 0; i < hidden.elements(); ++i) got.push_back(GetElement(hidden, i));
    comparison.LastHiddenState(input, got);
  }
  comparison.Median();
}

TEST_P(BertTest, TakesTheArenaThatItAnnounces) {
  PackedSequences sequences;
  for (const auto* input : cases_.batches.front()) sequences.Add(input->ids, true);
  ReferenceOps ops = MakeOps(sequences);
  std::vector<float> values(sequences.normalize.size() * model_->dimension());
  model_->Run(ops, sequences.input(),
              {.data = values.data(),
               .rows = static_cast<int64_t>(sequences.normalize.size()),
               .cols = model_->dimension()});
  EXPECT_EQ(ops.arena_peak_bytes(), model_->ArenaBytes(dtype_, sequences.input().shape.tokens()));
  EXPECT_EQ(ops.ScratchMark(), 0);
}

INSTANTIATE_TEST_SUITE_P(, BertTest,
                         ::testing::Combine(::testing::Values("bert-mean", "bert-cls"),
                                            ::testing::Values(DType::kFloat32, DType::kBFloat16)),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + DTypeName(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace rose
