#include "rose/kernels/fa2_kernels.h"
#include "rose/kernels/fa2_prefill.cuh"

namespace rose::kernels {

cudaError_t Fa2D128Causal(const AttentionArgs& args, const Fa2Plan& plan, bool overlap,
                          cudaStream_t stream) {
  return Fa2Prefill<128, flashinfer::MaskMode::kCausal>(args, plan, overlap, stream);
}

}  // namespace rose::kernels
