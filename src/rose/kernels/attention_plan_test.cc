#include "rose/kernels/attention_plan.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "rose/kernels/attention.h"
#include "rose/kernels/attention_plan_reference.h"
#include "rose/kernels/attention_test_step.h"
#include "rose/kernels/device_buffer.h"

namespace rose::kernels {
namespace {

/// A plan's workspace, back on the host.
class PlanOnHost {
 public:
  PlanOnHost(AttentionBackend backend, const AttentionParams& params, const AttentionShape& shape,
             const DeviceBytes& workspace)
      : bytes_(workspace.Get()), plan_(LayOutPlan(backend, params, shape, bytes_.data())) {}

  const AttentionPlan& operator*() const { return plan_; }
  const AttentionPlan* operator->() const { return &plan_; }

 private:
  std::vector<std::byte> bytes_;
  AttentionPlan plan_;
};

void ExpectTiles(const AttentionPlan& plan, std::span<const int32_t> bounds,
                 const std::vector<ReferenceTile>& expected) {
  ASSERT_EQ(plan.tile_count[0], static_cast<int32_t>(expected.size()));
  EXPECT_EQ(plan.tile_count[1], 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const int32_t sequence = expected[i].sequence;
    ASSERT_EQ(plan.tiles[i].sequence, sequence) << "tile " << i;
    ASSERT_EQ(plan.tiles[i].tile, expected[i].tile) << "tile " << i;
    ASSERT_EQ(plan.tiles[i].row, bounds[sequence]) << "tile " << i;
    ASSERT_EQ(plan.tiles[i].length, bounds[sequence + 1] - bounds[sequence]) << "tile " << i;
  }
  for (int64_t i = plan.tile_count[0]; i < plan.tiles_max; ++i) {
    ASSERT_EQ(plan.tiles[i].length, 0) << "tile " << i;
  }
}

void ExpectBlocks(const AttentionPlan& plan) {
  for (int64_t i = 0; i < plan.tiles_max; ++i) {
    ASSERT_EQ(plan.block_sequence[i], plan.tiles[i].sequence) << "block " << i;
    ASSERT_EQ(plan.block_tile[i], plan.tiles[i].tile) << "block " << i;
    ASSERT_EQ(plan.used[i], i < plan.tile_count[0]) << "block " << i;
    ASSERT_EQ(plan.zeros[i], 0) << "block " << i;
  }
}

void ExpectDeal(const AttentionPlan& plan, std::span<const int32_t> bounds,
                const std::vector<std::vector<ReferenceEntry>>& expected) {
  int32_t at = 0;
  for (std::size_t block = 0; block < expected.size(); ++block) {
    ASSERT_EQ(plan.works_begin[block], at) << "block " << block;
    for (const ReferenceEntry& entry : expected[block]) {
      const int32_t row = bounds[entry.tile.sequence];
      ASSERT_EQ(plan.works_tile[at], entry.tile.tile) << "entry " << at;
      ASSERT_EQ(plan.works_head[at], entry.head) << "entry " << at;
      ASSERT_EQ(plan.works_row[at], row) << "entry " << at;
      ASSERT_EQ(plan.works_length[at], bounds[entry.tile.sequence + 1] - row) << "entry " << at;
      ++at;
    }
  }
  ASSERT_EQ(plan.works_begin[expected.size()], at);
}

const std::vector<StepLengths>& AllSteps() {
  static const std::vector<StepLengths> steps = [] {
    std::vector<StepLengths> all = {{.lengths = {}},
                                    {.lengths = {0, 0, 0}, .padding = 16, .empty_slots = 4000},
                                    {.lengths = {1}},
                                    {.lengths = {0, 1, 0, 17, 0, 0}, .empty_slots = 70},
                                    {.lengths = {512}, .padding = 63},
                                    {.lengths = {4096}},
                                    {.lengths = {40000, 100}},
                                    {.lengths = std::vector<int32_t>(100, 512)}};
    StepLengths uneven = {.lengths = std::vector<int32_t>(1000, 16), .empty_slots = 24};
    uneven.lengths[500] = 4096;
    StepLengths many, mixed;
    for (int32_t i = 0; i < 4096; ++i) many.lengths.push_back(i * 37 % 65);
    for (int32_t i = 0; i < 64; ++i) mixed.lengths.push_back(8 + i * 389 % 1017);
    all.insert(all.end(), {uneven, many, mixed});
    return all;
  }();
  return steps;
}

TEST(AttentionPlanTest, IsAsTheReference) {
  if (const std::string reason = NoGpu(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr int kMultiprocessors = 132;
  for (const AttentionBackend backend :
       {AttentionBackend::kSimple, AttentionBackend::kFa2, AttentionBackend::kFa3}) {
    for (const AttentionParams& params :
         {AttentionParams{.heads = 16, .kv_heads = 8, .head_dim = 128},
          AttentionParams{
              .heads = 16, .kv_heads = 8, .head_dim = 128, .mask = AttentionMask::kCausal},
          AttentionParams{.heads = 12, .kv_heads = 12, .head_dim = 64},
          AttentionParams{
              .heads = 12, .kv_heads = 4, .head_dim = 64, .mask = AttentionMask::kCausal}}) {
      for (const StepLengths& lengths : AllSteps()) {
        for (const int64_t longest : {0, 16, 512}) {
          SCOPED_TRACE(testing::Message()
                       << "backend " << static_cast<int>(backend) << ", head dim "
                       << params.head_dim << ", " << lengths.lengths.size() << " sequences of "
                       << lengths.tokens() << " tokens, longest hint " << longest);
          const std::vector<int32_t> bounds = lengths.Bounds();
          const AttentionShape shape{.tokens = lengths.rows(),
                                     .sequences = static_cast<int64_t>(bounds.size()) - 1,
                                     .longest = longest};
          const DeviceBytes device_bounds(std::as_bytes(std::span(bounds)));
          const DeviceBytes workspace(static_cast<std::size_t>(AttentionWorkspaceBytes(
                                          backend, params, shape, kMultiprocessors)),
                                      0xff);
          ExpectSuccess(PlanAttention({}, backend, params, shape,
                                      reinterpret_cast<const int32_t*>(device_bounds.data()),
                                      kMultiprocessors, workspace.data()));
          const PlanOnHost plan(backend, params, shape, workspace);
          const auto tiles = ReferenceTiles(TilesOf(backend, params, shape), bounds);
          ExpectTiles(*plan, bounds, tiles);
          if (plan->used != nullptr) ExpectBlocks(*plan);
          if (plan->works_begin != nullptr) {
            ExpectDeal(*plan, bounds, ReferenceDeal(tiles, params.heads, kMultiprocessors));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rose::kernels
