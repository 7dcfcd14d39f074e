#include "rose/kernels/fa2_kernels.h"
#include "rose/kernels/fa2_prefill.cuh"

// Together, because the library's headers are the larger part of what each costs to compile.

namespace rose::kernels {

cudaError_t Fa2D128Full(const AttentionArgs& args, const Fa2Plan& plan, bool overlap,
                        cudaStream_t stream) {
  return Fa2Prefill<128, flashinfer::MaskMode::kNone>(args, plan, overlap, stream);
}

cudaError_t Fa2D128Causal(const AttentionArgs& args, const Fa2Plan& plan, bool overlap,
                          cudaStream_t stream) {
  return Fa2Prefill<128, flashinfer::MaskMode::kCausal>(args, plan, overlap, stream);
}

}  // namespace rose::kernels
