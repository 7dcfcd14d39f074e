#pragma once

#include <cstdint>

// How work on rows is cut into blocks and threads: on the host, from shapes alone. A vector is what
// one access moves, 16 bytes where rows allow it.

namespace rose::kernels {

/// For operations on single elements (device/map_rows.cuh).
struct MapPlan {
  static constexpr int kRowsMany = 4;

  int rows = 1;  ///< That a thread takes, one vector of each: 1 or kRowsMany.
  unsigned threads = 0;
  unsigned row_blocks = 0;
  unsigned column_blocks = 0;
};
MapPlan PlanMap(int64_t rows, int64_t vectors);

/// For operations that need the whole row (device/norm_rows.cuh).
struct RowPlan {
  static constexpr unsigned kThreadsMax = 512;

  unsigned threads = 0;  ///< Of one row; whole warps.
  int vectors = 0;     ///< That a thread holds in registers, 1 to 4. 0: it reads them in each pass.
  bool exact = false;  ///< All threads hold as many; always so where they hold 3 or 4.
  unsigned rows = 1;   ///< Of a block: more than 1 only where a row has one warp.
};
RowPlan PlanRow(int64_t rows, int64_t vectors);

/// For heads that are normed and turned in halves (head_norm_rope.cu).
struct HeadPlan {
  int heads =
      1;  ///< That a thread takes, one after the other in a row and all of one norm: 1, 2, 4.
  int lanes_log2 = 0;
  unsigned threads = 0;
  unsigned blocks = 0;
};
/// `lanes` threads, a power of two, take a head; the first `queries` of `heads` share a norm.
HeadPlan PlanHeads(int64_t rows, int64_t heads, int64_t queries, int64_t lanes);

}  // namespace rose::kernels
