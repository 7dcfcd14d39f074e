#include "rose/kernels/fa3.h"

#include "rose/kernels/fa3_kernels.h"

namespace rose::kernels {

Fa3Kernel FindFa3(int head_dim, AttentionMask mask) {
  const bool causal = mask == AttentionMask::kCausal;
  switch (head_dim) {
    case 64:
      return causal ? Fa3D64Causal : Fa3D64Full;
    case 128:
      return causal ? Fa3D128Causal : Fa3D128Full;
    default:
      return nullptr;
  }
}

}  // namespace rose::kernels
