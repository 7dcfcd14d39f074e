#include "tulip/sched/batch_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tulip/sched/make_request.h"

namespace tulip {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Adds `sequences` sequences from `sequence` on to the plan.
void AddSlice(BatchPlan& plan, Request& request, int64_t sequence, int64_t sequences) {
  const auto& lengths = request.asked.lengths;
  const auto first = lengths.begin() + sequence;
  const Slice slice = {.request = &request,
                       .sequence = sequence,
                       .sequences = sequences,
                       .token = std::accumulate(lengths.begin(), first, int64_t{0}),
                       .tokens = std::accumulate(first, first + sequences, int64_t{0})};
  plan.slices.push_back(slice);
  plan.sequences += slice.sequences;
  plan.tokens += slice.tokens;
}

TEST(BatchBuffer, PacksSlicesSideBySide) {
  RequestList a = ListOfOne(MakeRequest({2, 3, 1}, 10));
  wire::InferenceRequest raw = MakeRequest({2}, 90);
  raw.normalize = false;
  RequestList b = ListOfOne(std::move(raw));
  BatchPlan plan;
  AddSlice(plan, a.front(), 1, 2);
  AddSlice(plan, b.front(), 0, 1);
  BatchBuffer buffer(6);
  const rose::Batch batch = buffer.Pack(plan);
  EXPECT_THAT(batch.ids, ElementsAre(12, 13, 14, 15, 90, 91));
  EXPECT_THAT(batch.cu_seqlens, ElementsAre(0, 3, 4, 6));
  EXPECT_THAT(batch.normalize, ElementsAre(1, 1, 0));
  EXPECT_THAT(batch.type_ids, IsEmpty());
  EXPECT_THAT(batch.prompt_lengths, IsEmpty());
}

TEST(BatchBuffer, OptionalArraysAreZeroWhereARequestHasNone) {
  wire::InferenceRequest full = MakeRequest({2, 1}, 10);
  full.type_ids = {0, 1, 1};
  full.prompt_lengths = {2, 1};
  RequestList a = ListOfOne(std::move(full));
  RequestList b = ListOfOne(MakeRequest({2}));
  BatchPlan plan;
  AddSlice(plan, b.front(), 0, 1);
  AddSlice(plan, a.front(), 1, 1);
  BatchBuffer buffer(8);
  const rose::Batch batch = buffer.Pack(plan);
  EXPECT_THAT(batch.type_ids, ElementsAre(0, 0, 1));
  EXPECT_THAT(batch.prompt_lengths, ElementsAre(0, 1));
}

TEST(BatchBuffer, NothingStaysFromTheBatchBefore) {
  wire::InferenceRequest full = MakeRequest({3}, 10);
  full.type_ids = {1, 1, 1};
  full.prompt_lengths = {2};
  RequestList a = ListOfOne(std::move(full));
  RequestList b = ListOfOne(MakeRequest({1}, 5));
  BatchBuffer buffer(8);
  BatchPlan plan;
  AddSlice(plan, a.front(), 0, 1);
  buffer.Pack(plan);
  plan.Clear();
  AddSlice(plan, b.front(), 0, 1);
  const rose::Batch batch = buffer.Pack(plan);
  EXPECT_THAT(batch.ids, ElementsAre(5));
  EXPECT_THAT(batch.cu_seqlens, ElementsAre(0, 1));
  EXPECT_THAT(batch.type_ids, IsEmpty());
  EXPECT_THAT(batch.prompt_lengths, IsEmpty());
}

}  // namespace
}  // namespace tulip
