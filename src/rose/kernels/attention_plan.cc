#include "rose/kernels/attention_plan.h"

#include <cstddef>

namespace rose::kernels {
namespace {

constexpr int64_t kAlignment = 16;

/// Hands out one array after the other, from address 0 where there is no memory.
class Cutter {
 public:
  explicit Cutter(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  template <typename T>
  T* Take(int64_t count) {
    const int64_t at = bytes_;
    bytes_ += (count * static_cast<int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
    return memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + at);
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  int64_t bytes_ = 0;
};

/// The array whose size depends on the device comes last, so that readers need not know it.
AttentionPlan Cut(Cutter& cutter, AttentionBackend backend, const TileGrid& grid, int heads,
                  const AttentionShape& shape, int multiprocessors) {
  AttentionPlan plan = {.tiles_max = TilesAtMost(grid, shape)};
  plan.tile_count = cutter.Take<int32_t>(2);
  plan.tiles = cutter.Take<PlannedTile>(plan.tiles_max);
  if (backend == AttentionBackend::kFa2) {
    plan.block_sequence = cutter.Take<int32_t>(plan.tiles_max);
    plan.block_tile = cutter.Take<int32_t>(plan.tiles_max);
    plan.zeros = cutter.Take<int32_t>(plan.tiles_max);
    plan.used = cutter.Take<bool>(plan.tiles_max);
  }
  if (backend == AttentionBackend::kFa3) {
    plan.works_max = plan.tiles_max * heads;
    plan.works_tile = cutter.Take<int32_t>(plan.works_max);
    plan.works_head = cutter.Take<int32_t>(plan.works_max);
    plan.works_row = cutter.Take<int32_t>(plan.works_max);
    plan.works_length = cutter.Take<int32_t>(plan.works_max);
    plan.works_begin = cutter.Take<int32_t>(multiprocessors + 1);
  }
  return plan;
}

}  // namespace

AttentionPlan LayOutPlan(AttentionBackend backend, const AttentionParams& params,
                         const AttentionShape& shape, void* workspace) {
  Cutter cutter(workspace);
  return Cut(cutter, backend, TilesOf(backend, params, shape), params.heads, shape,
             /*multiprocessors=*/0);
}

int64_t AttentionWorkspaceBytes(AttentionBackend backend, const AttentionParams& params,
                                const AttentionShape& shape, int multiprocessors) {
  // Smaller shapes may have smaller tiles, and more of them.
  TileGrid grid = TilesOf(backend, params, shape);
  if (backend == AttentionBackend::kFa2) grid.rows = kFa2TileRowsMin;
  if (backend == AttentionBackend::kFa3) grid.rows = kFa3TileRowsMin;
  Cutter cutter(nullptr);
  Cut(cutter, backend, grid, params.heads, shape, multiprocessors);
  return cutter.bytes();
}

}  // namespace rose::kernels
