#include "rose/kernels/fa3_kernels.h"
#include "rose/kernels/fa3_prefill.cuh"

namespace rose::kernels {

cudaError_t Fa3D128Causal(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream) {
  return Fa3Prefill<128, /*kCausal=*/true, 128, 128>(args, plan, stream);
}

}  // namespace rose::kernels
