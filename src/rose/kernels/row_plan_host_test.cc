#include <gtest/gtest.h>

#include <random>

#include "rose/kernels/divisor.h"
#include "rose/kernels/row_plan.h"

namespace rose::kernels {
namespace {

constexpr int64_t kRowCounts[] = {1, 16, 128, 512, 4096, 51200, 200000};

TEST(MapPlan, ThreadsCoverEveryVectorOnce) {
  for (const int64_t rows : kRowCounts) {
    for (int64_t vectors = 1; vectors < 5000; vectors += vectors < 600 ? 1 : 97) {
      const MapPlan plan = PlanMap(rows, vectors);
      const int64_t threads = int64_t{plan.threads} * plan.column_blocks;
      EXPECT_GE(threads, vectors);
      EXPECT_LT(threads - plan.threads, vectors) << "a block has nothing to do";
      EXPECT_GE(int64_t{plan.row_blocks} * plan.rows, rows);
      EXPECT_LT(int64_t{plan.row_blocks - 1} * plan.rows, rows);
      EXPECT_EQ(plan.threads % 32, 0u);
      EXPECT_LE(plan.threads, 256u);
      EXPECT_LE(plan.column_blocks, 65535u);
    }
  }
}

TEST(MapPlan, NothingIsNoBlock) {
  EXPECT_EQ(PlanMap(0, 100).row_blocks, 0u);
  EXPECT_EQ(PlanMap(100, 0).row_blocks, 0u);
}

TEST(MapPlan, FewRowsReachManyMultiprocessors) {
  const MapPlan gate = PlanMap(16, 3072 / 8);  // Qwen3-0.6B's gate of 16 tokens.
  EXPECT_GE(gate.row_blocks * gate.column_blocks, 96u);
}

TEST(RowPlan, ThreadsHoldTheWholeRow) {
  for (const int64_t rows : kRowCounts) {
    for (int64_t vectors = 1; vectors < 5000; vectors += vectors < 2100 ? 1 : 97) {
      const RowPlan plan = PlanRow(rows, vectors);
      EXPECT_EQ(plan.threads % 32, 0u);
      EXPECT_GE(plan.threads, 32u);
      EXPECT_LE(plan.threads, RowPlan::kThreadsMax);
      EXPECT_LE(plan.threads * plan.rows, RowPlan::kThreadsMax);
      EXPECT_TRUE(plan.rows == 1 || plan.threads == 32);
      if (plan.vectors == 0) {
        EXPECT_GT(vectors, int64_t{RowPlan::kThreadsMax}) << "rows like those of models are held";
        continue;
      }
      const int64_t held = int64_t{plan.threads} * plan.vectors;
      EXPECT_GE(held, vectors);
      EXPECT_EQ(plan.exact, held == vectors) << rows << " x " << vectors;
      EXPECT_TRUE(plan.exact || plan.vectors <= 2);
    }
  }
}

TEST(HeadPlan, ThreadsCoverEveryHeadOfOneNorm) {
  for (const int64_t rows : kRowCounts) {
    for (int64_t kv_heads = 0; kv_heads < 17; ++kv_heads) {
      for (const int64_t heads : {1, 2, 3, 6, 12, 14, 16, 32}) {
        for (const int64_t lanes : {1, 2, 4, 8, 16, 32}) {
          const HeadPlan plan = PlanHeads(rows, heads + kv_heads, heads, lanes);
          EXPECT_EQ((heads + kv_heads) % plan.heads, 0);
          EXPECT_EQ(heads % plan.heads, 0);
          EXPECT_EQ(int64_t{1} << plan.lanes_log2, lanes);
          EXPECT_EQ(plan.threads % 32, 0u);
          const int64_t needed = rows * (heads + kv_heads) / plan.heads * lanes;
          EXPECT_GE(int64_t{plan.blocks} * plan.threads, needed);
          EXPECT_LT(int64_t{plan.blocks - 1} * plan.threads, needed);
        }
      }
    }
  }
}

TEST(Divisor, IsExactBelowTwoToThe31) {
  constexpr uint32_t kEnd = uint32_t{1} << 31;
  std::mt19937 random(1);
  std::vector<uint32_t> divisors = {kEnd - 1, kEnd / 2, kEnd / 2 + 1};
  for (uint32_t divisor = 1; divisor < 3000; ++divisor) divisors.push_back(divisor);
  for (const uint32_t divisor : divisors) {
    const Divisor divide(divisor);
    for (int i = 0; i < 100; ++i) {
      const uint32_t n = random() % kEnd, multiple = n / divisor * divisor;
      ASSERT_EQ(divide.Quotient(n), n / divisor) << n << " / " << divisor;
      ASSERT_EQ(divide.Quotient(multiple), multiple / divisor) << multiple << " / " << divisor;
      if (multiple == 0) continue;
      ASSERT_EQ(divide.Quotient(multiple - 1), (multiple - 1) / divisor) << divisor;
    }
    ASSERT_EQ(divide.Quotient(kEnd - 1), (kEnd - 1) / divisor) << divisor;
  }
}

}  // namespace
}  // namespace rose::kernels
