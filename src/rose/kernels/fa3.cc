#include "rose/kernels/fa3.h"

#include <algorithm>
#include <iterator>

#include "rose/kernels/fa3_kernels.h"

namespace rose::kernels {
namespace {

using enum AttentionMask;

struct Entry {
  int head_dim;
  AttentionMask mask;
  Fa3Tile tile;
  Fa3Kernel kernel;
};

constexpr Entry kKernels[] = {
    {64, kFull, {192, 128}, Fa3D64Full},          {64, kFull, {128, 128}, Fa3D64Full128x128},
    {64, kCausal, {192, 128}, Fa3D64Causal},      {128, kFull, {128, 192}, Fa3D128Full},
    {128, kFull, {128, 128}, Fa3D128Full128x128}, {128, kCausal, {128, 128}, Fa3D128Causal},
};

}  // namespace

Fa3Kernel FindFa3(int head_dim, AttentionMask mask, const Fa3Tile& tile) {
  const auto* const found =
      std::find_if(std::begin(kKernels), std::end(kKernels), [&](const Entry& entry) {
        return entry.head_dim == head_dim && entry.mask == mask && entry.tile == tile;
      });
  return found == std::end(kKernels) ? nullptr : found->kernel;
}

}  // namespace rose::kernels
