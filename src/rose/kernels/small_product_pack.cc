#include <cstdint>

#include "rose/core/bfloat16.h"
#include "rose/kernels/small_product.h"
#include "rose/kernels/small_product_layout.h"

namespace rose::kernels {

void PackSmallProductOnHost(Tensor weight, bool gated, void* packed) {
  constexpr int kChunks = kStageRowBytes / 16;
  const auto* from = static_cast<const BFloat16*>(weight.data);
  auto* to = static_cast<BFloat16*>(packed);
  for (int64_t panel = 0; panel < weight.rows / kPanelRows; ++panel) {
    for (int64_t stage = 0; stage < weight.cols / kStageColumns; ++stage) {
      for (int at = 0; at < kPanelRows; ++at) {
        const int64_t row = WeightRow(panel * kPanelRows + PanelRow(at), weight.rows, gated);
        for (int place = 0; place < kChunks; ++place) {
          const int64_t column = stage * kStageColumns + ChunkColumn(at, place);
          for (int i = 0; i < 8; ++i) {
            *to++ = from[row * weight.cols + column + i / 2 * 8 + i % 2];
          }
        }
      }
    }
  }
}

}  // namespace rose::kernels
