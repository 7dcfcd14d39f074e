#include "rose/kernels/row_plan.h"

#include <algorithm>

namespace rose::kernels {
namespace {

constexpr int64_t kWarp = 32;
// Of an H200, the smallest device this is tuned for: 132 multiprocessors of 2048 threads.
constexpr int64_t kResidentThreads = int64_t{132} * 2048;

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t WholeWarps(int64_t threads) { return DivideUp(threads, kWarp) * kWarp; }

}  // namespace

// Few vectors: latency counts, and small blocks reach more multiprocessors. Many: a thread keeps
// several loads in flight.
MapPlan PlanMap(int64_t rows, int64_t vectors) {
  MapPlan plan;
  const int64_t total = rows * vectors;
  if (total == 0) return plan;
  const int64_t threads_max = total <= kResidentThreads / 4 ? 64 : 256;
  const int64_t column_blocks = DivideUp(vectors, threads_max);
  plan.rows = total <= 2 * kResidentThreads ? 1 : MapPlan::kRowsMany;
  plan.threads = static_cast<unsigned>(WholeWarps(DivideUp(vectors, column_blocks)));
  plan.row_blocks = static_cast<unsigned>(DivideUp(rows, plan.rows));
  plan.column_blocks = static_cast<unsigned>(column_blocks);
  return plan;
}

// Few rows: a vector a thread, the shortest way from load to store. Many: as few threads a row as
// can be, best a single warp, which needs no barrier, with several loads in flight.
RowPlan PlanRow(int64_t rows, int64_t vectors) {
  constexpr int64_t kThreadsMax = RowPlan::kThreadsMax;
  const int64_t wide = WholeWarps(vectors);
  if (wide <= kThreadsMax && rows * wide <= kResidentThreads) {
    return {.threads = static_cast<unsigned>(wide), .vectors = 1, .exact = wide == vectors};
  }
  RowPlan plan;
  for (const int held : {4, 3, 2}) {
    plan.exact = vectors % (held * kWarp) == 0;
    plan.vectors = held;
    if (plan.exact) break;
  }
  const int64_t threads = WholeWarps(DivideUp(vectors, plan.vectors));
  if (threads > kThreadsMax) return {.threads = RowPlan::kThreadsMax};
  plan.threads = static_cast<unsigned>(threads);
  constexpr unsigned kWarpsOfBlock = 8;
  plan.rows = threads == kWarp ? kWarpsOfBlock : 1;
  return plan;
}

// Few rows: a head a thread. Many: as many as share cosines and sines, and loads in flight.
HeadPlan PlanHeads(int64_t rows, int64_t heads, int64_t queries, int64_t lanes) {
  HeadPlan plan;
  const int64_t single = rows * heads * lanes;
  while (single > kResidentThreads && plan.heads < 4 && heads % (2 * plan.heads) == 0 &&
         queries % (2 * plan.heads) == 0) {
    plan.heads *= 2;
  }
  while ((int64_t{1} << plan.lanes_log2) < lanes) ++plan.lanes_log2;
  plan.threads = single <= kResidentThreads / 4 ? 64 : 256;
  plan.blocks = static_cast<unsigned>(DivideUp(single / plan.heads, plan.threads));
  return plan;
}

}  // namespace rose::kernels
