#include "tulip/sched/append_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tulip/sched/make_request.h"

namespace tulip {
namespace {

using hub::Output;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A step over the sequences (5 6 7), of a request of its own, and (5 9 5 1) and (8), which are the
/// slice's: tokens 3 … 7 and rows 1, 2 of the step.
class AppendRowsTest : public ::testing::Test {
 protected:
  static constexpr int64_t kTokens = 8, kSequences = 3;

  wire::InferenceResult Append(hub::Outputs outputs) {
    wire::InferenceRequest asked = MakeRequest({4, 1});
    asked.ids = ids_;
    asked.outputs = outputs;
    RequestList list = ListOfOne(std::move(asked));
    const Slice slice = {.request = &list.front(), .sequences = 2, .tokens = 5};
    wire::InferenceResult result;
    AppendRows(SliceRows(slice, /*sequence=*/1, /*token=*/3, outputs_, shapes_), left_out_, result);
    EXPECT_EQ(result.sequences, 2);
    return result;
  }

  /// The output's values are 0, 1, 2, …, unless given.
  void Give(Output output, int64_t columns, bool per_token, std::vector<float> values = {}) {
    const int64_t rows = per_token ? kTokens : kSequences;
    if (values.empty()) {
      values.resize(static_cast<std::size_t>(rows * columns));
      std::iota(values.begin(), values.end(), 0.0F);
    }
    values_[output] = std::move(values);
    shapes_[output] = {.columns = columns, .per_token = per_token};
    outputs_[output] = {.values = values_[output], .rows = rows, .columns = columns};
  }

  std::vector<int32_t> ids_ = {5, 9, 5, 1, 8};
  std::vector<int32_t> left_out_;
  hub::PerOutput<rose::OutputShape> shapes_;

 private:
  hub::PerOutput<std::vector<float>> values_;
  hub::PerOutput<rose::OutputRows> outputs_;
};

TEST_F(AppendRowsTest, OneRowForEachSequence) {
  Give(Output::kDense, 2, false);
  Give(Output::kScores, 1, false);
  const wire::InferenceResult result = Append(hub::Outputs(Output::kDense) | Output::kScores);
  EXPECT_THAT(result.dense.values, ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(result.dense.columns, 2);
  EXPECT_THAT(result.scores.values, ElementsAre(1, 2));
  EXPECT_THAT(result.tokens.values, IsEmpty());
}

TEST_F(AppendRowsTest, WhatWasNotAskedForStaysEmpty) {
  Give(Output::kDense, 2, false);
  Give(Output::kTokens, 1, true);
  const wire::InferenceResult result = Append(Output::kTokens);
  EXPECT_THAT(result.dense.values, IsEmpty());
  EXPECT_THAT(result.tokens.values, ElementsAre(3, 4, 5, 6, 7));
  EXPECT_THAT(result.tokens.offsets, ElementsAre(0, 4, 5));
}

TEST_F(AppendRowsTest, TheFirstTokenOfEachSequenceMayBeLeftOut) {
  Give(Output::kColbert, 2, true);
  shapes_[Output::kColbert].tokens_left_out = 1;
  const wire::InferenceResult result = Append(Output::kColbert);
  EXPECT_THAT(result.colbert.values, ElementsAre(8, 9, 10, 11, 12, 13));
  EXPECT_THAT(result.colbert.offsets, ElementsAre(0, 3, 3));
}

TEST_F(AppendRowsTest, AnIdTakesTheLargestOfItsTokensWeights) {
  Give(Output::kSparse, 1, true, {9, 9, 9, 0.25F, 2, 0.5F, 3, 0});
  left_out_ = {1};
  const wire::InferenceResult result = Append(Output::kSparse);
  EXPECT_THAT(result.sparse.ids, ElementsAre(5, 9));
  EXPECT_THAT(result.sparse.weights, ElementsAre(0.5F, 2));
  EXPECT_THAT(result.sparse.offsets, ElementsAre(0, 2, 2));
}

TEST_F(AppendRowsTest, TheLastIdOfOneSequenceMayBeTheFirstOfTheNext) {
  Give(Output::kSparse, 1, true, {0, 0, 0, 0, 0, 1, 0, 2});
  ids_ = {1, 1, 5, 1, 5};
  const wire::InferenceResult result = Append(Output::kSparse);
  EXPECT_THAT(result.sparse.ids, ElementsAre(5, 5));
  EXPECT_THAT(result.sparse.offsets, ElementsAre(0, 1, 2));
}

TEST_F(AppendRowsTest, RowsOverTheVocabularyKeepWhatIsAboveZero) {
  Give(Output::kSparse, 4, false, {1, 1, 1, 1, 0, 0.5F, 0, 2, -1, 0, 0, 0});
  const wire::InferenceResult result = Append(Output::kSparse);
  EXPECT_THAT(result.sparse.ids, ElementsAre(1, 3));
  EXPECT_THAT(result.sparse.weights, ElementsAre(0.5F, 2));
  EXPECT_THAT(result.sparse.offsets, ElementsAre(0, 2, 2));
}

}  // namespace
}  // namespace tulip
