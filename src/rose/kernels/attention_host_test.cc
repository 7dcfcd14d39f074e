#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "rose/kernels/attention.h"
#include "rose/kernels/attention_plan.h"
#include "rose/kernels/attention_plan_reference.h"
#include "rose/kernels/attention_tiles.h"

namespace rose::kernels {
namespace {

constexpr int kHopper = 90;
constexpr int kMultiprocessors = 132;
constexpr AttentionMask kFull = AttentionMask::kFull;
constexpr AttentionMask kCausal = AttentionMask::kCausal;
constexpr AttentionBackend kBackends[] = {AttentionBackend::kSimple, AttentionBackend::kFa2,
                                          AttentionBackend::kFa3};

using Lengths = std::vector<int32_t>;

AttentionParams Params(int heads, int kv_heads, int head_dim, AttentionMask mask) {
  return {.heads = heads, .kv_heads = kv_heads, .head_dim = head_dim, .scale = 0.1f, .mask = mask};
}

const std::vector<AttentionParams>& AllParams() {
  static const std::vector<AttentionParams> params = {
      Params(16, 8, 128, kCausal), Params(16, 8, 128, kFull), Params(16, 16, 64, kFull),
      Params(12, 12, 64, kCausal), Params(12, 12, 32, kFull), Params(16, 2, 128, kFull)};
  return params;
}

std::vector<int32_t> Bounds(const Lengths& lengths) {
  std::vector<int32_t> bounds(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), bounds.begin() + 1);
  return bounds;
}

AttentionShape ShapeOf(const Lengths& lengths) {
  return {.tokens = std::accumulate(lengths.begin(), lengths.end(), int64_t{0}),
          .sequences = static_cast<int64_t>(lengths.size()),
          .longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end())};
}

Lengths OneLongManyShort(int32_t length, int32_t count, int32_t shorter) {
  Lengths lengths(static_cast<std::size_t>(count), shorter);
  lengths[count / 2] = length;
  return lengths;
}

Lengths RandomLengths(int32_t count, int32_t longest, uint32_t seed) {
  std::mt19937 random(seed);
  Lengths lengths(static_cast<std::size_t>(count));
  for (int32_t& length : lengths) length = static_cast<int32_t>(random() % (longest + 1));
  return lengths;
}

const std::vector<Lengths>& AllLengths() {
  static const std::vector<Lengths> lengths = {
      {},
      {0},
      {0, 0, 0},
      {1},
      {0, 1, 0, 17, 0, 0},
      {32},
      {128},
      {129},
      {512},
      {4096},
      Lengths(5, 512),
      Lengths(32, 128),
      Lengths(100, 512),
      Lengths(1000, 1),
      OneLongManyShort(4096, 1000, 16),
      OneLongManyShort(8192, 33, 128),
      RandomLengths(64, 1024, 1),
      RandomLengths(2000, 64, 2),
      RandomLengths(10, 512, 3),
  };
  return lengths;
}

TEST(TileGrid, CoversEveryQueryOnce) {
  for (const AttentionBackend backend : kBackends) {
    for (const AttentionParams& params : AllParams()) {
      for (const Lengths& lengths : AllLengths()) {
        const TileGrid grid = TilesOf(backend, params, ShapeOf(lengths));
        ASSERT_LE(grid.classes, kTileClassesMax);
        std::set<std::tuple<int32_t, int32_t>> rows;
        for (const ReferenceTile& tile : ReferenceTiles(grid, Bounds(lengths))) {
          const int32_t end = lengths[tile.sequence] * grid.group;
          ASSERT_LT(tile.tile * grid.rows, end) << "an empty tile";
          for (int32_t r = tile.tile * grid.rows; r < std::min((tile.tile + 1) * grid.rows, end);
               ++r) {
            ASSERT_TRUE(rows.insert({tile.sequence, r}).second) << "a row twice";
          }
        }
        ASSERT_EQ(static_cast<int64_t>(rows.size()), ShapeOf(lengths).tokens * grid.group);
      }
    }
  }
}

TEST(TileGrid, RunsFromTheMostExpensive) {
  const Lengths lengths = {100, 300, 200};
  const TileGrid grid =
      TilesOf(AttentionBackend::kFa3, Params(2, 1, 128, kCausal), ShapeOf(lengths));
  const std::vector<ReferenceTile> expected = {{1, 2, 3}, {1, 1, 2}, {2, 1, 2},
                                               {0, 0, 1}, {1, 0, 1}, {2, 0, 1}};
  EXPECT_EQ(ReferenceTiles(grid, Bounds(lengths)), expected);
}

TEST(TileGrid, NoLengthsGiveMoreTilesThanAtMost) {
  std::mt19937 random(7);
  for (const AttentionBackend backend : kBackends) {
    for (const AttentionParams& params : AllParams()) {
      for (int round = 0; round < 200; ++round) {
        const auto count = static_cast<int32_t>(random() % 20);
        Lengths lengths = RandomLengths(count, 1 + static_cast<int32_t>(random() % 300), round);
        AttentionShape shape = ShapeOf(lengths);
        shape.longest = 0;
        shape.tokens += static_cast<int64_t>(random() % 3);     // Padding,
        shape.sequences += static_cast<int64_t>(random() % 3);  // and empty sequences.
        const TileGrid grid = TilesOf(backend, params, shape);
        ASSERT_LE(static_cast<int64_t>(ReferenceTiles(grid, Bounds(lengths)).size()),
                  TilesAtMost(grid, shape));
      }
    }
  }
}

TEST(TileGrid, AtMostIsReached) {
  const AttentionParams params = Params(16, 8, 128, kFull);
  const Lengths lengths = {1, 1, 1, 128 + 1};
  const AttentionShape shape = ShapeOf(lengths);
  const TileGrid grid = TilesOf(AttentionBackend::kFa3, params, shape);
  EXPECT_EQ(TilesAtMost(grid, shape), 5);
  EXPECT_EQ(ReferenceTiles(grid, Bounds(lengths)).size(), 5u);
  // Few tokens cannot fill many slots.
  EXPECT_EQ(TilesAtMost(grid, {.tokens = 3, .sequences = 5000}), 3);
  EXPECT_EQ(TilesAtMost(grid, {.tokens = 0, .sequences = 5000}), 0);
}

/// Cost of an entry, in steps of keys: the products of its class, and what each tile costs besides.
int64_t Cost(const ReferenceTile& tile) { return 2 * tile.tile_class + 3; }

/// The most loaded block's cost if each entry goes to the least loaded one: the usual schedule.
int64_t LongestFirstCost(std::span<const ReferenceTile> tiles, int heads) {
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> loads;
  for (int b = 0; b < kMultiprocessors; ++b) loads.push(0);
  int64_t largest = 0;
  for (const ReferenceTile& tile : tiles) {
    for (int h = 0; h < heads; ++h) {
      const int64_t load = loads.top() + Cost(tile);
      loads.pop();
      loads.push(load);
      largest = std::max(largest, load);
    }
  }
  return largest;
}

TEST(Deal, IsBalancedAndWhole) {
  for (const AttentionParams& params : AllParams()) {
    for (const Lengths& lengths : AllLengths()) {
      const AttentionShape shape = ShapeOf(lengths);
      const TileGrid grid = TilesOf(AttentionBackend::kFa3, params, shape);
      const auto tiles = ReferenceTiles(grid, Bounds(lengths));
      const auto deal = ReferenceDeal(tiles, params.heads, kMultiprocessors);
      std::vector<int64_t> loads;
      std::size_t entries = 0;
      for (const auto& block : deal) {
        entries += block.size();
        loads.push_back(std::accumulate(
            block.begin(), block.end(), int64_t{0},
            [](int64_t sum, const ReferenceEntry& e) { return sum + Cost(e.tile); }));
      }
      ASSERT_EQ(entries, tiles.size() * params.heads);
      if (tiles.empty()) continue;
      const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
      EXPECT_LE(*most - *least, Cost(tiles.front()));
      EXPECT_LE(static_cast<double>(*most),
                1.1 * static_cast<double>(LongestFirstCost(tiles, params.heads)))
          << lengths.size() << " sequences, longest " << shape.longest;
    }
  }
}

/// Bytes from the begin of a plan that was laid out at null to behind its last array.
int64_t EndOf(AttentionBackend backend, const AttentionPlan& plan) {
  switch (backend) {
    case AttentionBackend::kSimple:
      return reinterpret_cast<int64_t>(plan.tiles + plan.tiles_max);
    case AttentionBackend::kFa2:
      return reinterpret_cast<int64_t>(plan.used + plan.tiles_max);
    case AttentionBackend::kFa3:
      return reinterpret_cast<int64_t>(plan.works_begin + kMultiprocessors + 1);
  }
  return 0;
}

TEST(AttentionWorkspace, OfTheLargestShapeHoldsEverySmallerPlan) {
  const AttentionShape largest = {.tokens = 4096, .sequences = 256, .longest = 0};
  for (const AttentionBackend backend : kBackends) {
    for (const AttentionParams& params : AllParams()) {
      const int64_t bytes = AttentionWorkspaceBytes(backend, params, largest, kMultiprocessors);
      for (const int64_t tokens : {0, 1, 16, 100, 4096}) {
        for (const int64_t sequences : {0, 1, 3, 256}) {
          for (const int64_t longest : {0, 1, 8, 16, 64, 512, 4096}) {
            const AttentionShape shape = {
                .tokens = tokens, .sequences = sequences, .longest = longest};
            const AttentionPlan plan = LayOutPlan(backend, params, shape, nullptr);
            EXPECT_LE(plan.tiles_max, TilesAtMost(TilesOf(backend, params, shape), shape));
            EXPECT_LE(AttentionWorkspaceBytes(backend, params, shape, kMultiprocessors), bytes);
            EXPECT_LE(EndOf(backend, plan), bytes) << tokens << ", longest " << longest;
          }
        }
      }
    }
  }
}

TEST(AttentionWorkspace, ArraysFollowEachOther) {
  const AttentionParams params = Params(16, 8, 128, kFull);
  const AttentionShape shape = {.tokens = 1000, .sequences = 9};
  std::vector<PlannedTile> memory(1 << 14);
  for (const AttentionBackend backend : kBackends) {
    const AttentionPlan plan = LayOutPlan(backend, params, shape, memory.data());
    EXPECT_LE(static_cast<void*>(plan.tile_count + 2), plan.tiles);
    const int64_t bytes = AttentionWorkspaceBytes(backend, params, shape, kMultiprocessors);
    const auto* end = reinterpret_cast<const char*>(memory.data()) + bytes;
    if (backend == AttentionBackend::kFa2) {
      EXPECT_LE(static_cast<void*>(plan.tiles + plan.tiles_max), plan.block_sequence);
      EXPECT_LE(plan.block_sequence + plan.tiles_max, plan.block_tile);
      EXPECT_LE(plan.block_tile + plan.tiles_max, plan.zeros);
      EXPECT_LE(static_cast<void*>(plan.zeros + plan.tiles_max), plan.used);
      EXPECT_LE(reinterpret_cast<const char*>(plan.used + plan.tiles_max), end);
    }
    if (backend == AttentionBackend::kFa3) {
      EXPECT_LE(static_cast<void*>(plan.tiles + plan.tiles_max), plan.works_tile);
      EXPECT_LE(plan.works_length + plan.works_max, plan.works_begin);
      EXPECT_LE(reinterpret_cast<const char*>(plan.works_begin + kMultiprocessors + 1), end);
    }
  }
}

AttentionBackend Choose(const AttentionParams& params, int64_t sequences, int64_t longest,
                        int sm = kHopper) {
  return ChooseAttention(
      params, DType::kBFloat16,
      {.tokens = sequences * longest, .sequences = sequences, .longest = longest}, sm);
}

TEST(ChooseAttention, TakesWhatWasFastestOnHopper) {
  const AttentionParams causal = Params(16, 8, 128, kCausal), full = Params(16, 8, 128, kFull),
                        narrow = Params(16, 16, 64, kFull);
  EXPECT_EQ(Choose(causal, 1, 32), AttentionBackend::kFa2);
  EXPECT_EQ(Choose(causal, 1, 128), AttentionBackend::kFa2);
  EXPECT_EQ(Choose(full, 1, 512), AttentionBackend::kFa2);
  EXPECT_EQ(Choose(causal, 32, 128), AttentionBackend::kFa3);
  EXPECT_EQ(Choose(causal, 100, 512), AttentionBackend::kFa3);
  EXPECT_EQ(Choose(full, 1, 32), AttentionBackend::kFa2);
  EXPECT_EQ(Choose(full, 1, 128), AttentionBackend::kFa2);
  EXPECT_EQ(Choose(full, 32, 128), AttentionBackend::kFa3);
  EXPECT_EQ(Choose(full, 1, 4096), AttentionBackend::kFa3);
  EXPECT_EQ(Choose(narrow, 1, 128), AttentionBackend::kFa2);
  EXPECT_EQ(Choose(narrow, 32, 128), AttentionBackend::kFa2);
  EXPECT_EQ(Choose(narrow, 1, 512), AttentionBackend::kFa3);
}

TEST(ChooseAttention, TakesWhatThereIs) {
  AttentionParams params = Params(12, 12, 32, kFull);
  EXPECT_EQ(Choose(params, 1, 512), AttentionBackend::kSimple);
  params.head_dim = 64;
  EXPECT_EQ(Choose(params, 1, 512, 80), AttentionBackend::kFa2);
  EXPECT_EQ(Choose(params, 1, 512, 100), AttentionBackend::kFa2);
  params.window = 128;
  EXPECT_EQ(Choose(params, 1, 512), AttentionBackend::kSimple);
  params.window = 0;
  float bias = 0;
  params.position_bias = {.data = &bias, .dtype = DType::kFloat32, .rows = 1, .cols = 1};
  EXPECT_EQ(Choose(params, 1, 512), AttentionBackend::kSimple);
  params.position_bias = {};
  EXPECT_EQ(ChooseAttention(params, DType::kFloat32, {.tokens = 9, .sequences = 1}, kHopper),
            AttentionBackend::kSimple);
  // Elements of qkv are counted in 32 bits there.
  EXPECT_EQ(Choose(params, 1 << 14, 64), AttentionBackend::kFa3);
}

TEST(Supports, HeadsUpTo256Wide) {
  EXPECT_TRUE(Supports(AttentionBackend::kSimple, Params(3, 1, 256, kFull), DType::kFloat32, 80));
  EXPECT_FALSE(Supports(AttentionBackend::kSimple, Params(3, 1, 264, kFull), DType::kFloat32, 80));
}

TEST(Supports, NoKeysInPages) {
  const PagedKeys pages;
  AttentionParams params = Params(16, 8, 128, kCausal);
  for (const AttentionBackend backend : kBackends) {
    params.paged_keys = nullptr;
    EXPECT_TRUE(backend == AttentionBackend::kFa3 ||  // Not every build has it.
                Supports(backend, params, DType::kBFloat16, kHopper));
    params.paged_keys = &pages;
    EXPECT_FALSE(Supports(backend, params, DType::kBFloat16, kHopper));
  }
}

}  // namespace
}  // namespace rose::kernels
