#include "rose/kernels/fa3_kernels.h"
#include "rose/kernels/fa3_prefill.cuh"

// Together, because the library's headers are the larger part of what each costs to compile.

namespace rose::kernels {

cudaError_t Fa3D64Full(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream) {
  return Fa3Prefill<64, /*kCausal=*/false, 192, 128>(args, plan, stream);
}

cudaError_t Fa3D64Full128x128(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream) {
  return Fa3Prefill<64, /*kCausal=*/false, 128, 128>(args, plan, stream);
}

cudaError_t Fa3D64Causal(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream) {
  return Fa3Prefill<64, /*kCausal=*/true, 192, 128>(args, plan, stream);
}

}  // namespace rose::kernels
