#include "rose/kernels/fa3_kernels.h"
#include "rose/kernels/fa3_prefill.cuh"

namespace rose::kernels {

cudaError_t Fa3D64Full(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream) {
  return Fa3Prefill<64, /*kCausal=*/false, 192, 128>(args, plan, stream);
}

}  // namespace rose::kernels
