#include "rose/kernels/fa2.h"

#include "rose/kernels/fa2_kernels.h"

namespace rose::kernels {

Fa2Kernel FindFa2(int head_dim, AttentionMask mask) {
  const bool causal = mask == AttentionMask::kCausal;
  switch (head_dim) {
    case 64:
      return causal ? Fa2D64Causal : Fa2D64Full;
    case 128:
      return causal ? Fa2D128Causal : Fa2D128Full;
    default:
      return nullptr;
  }
}

}  // namespace rose::kernels
