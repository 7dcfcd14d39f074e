#include "rose/kernels/short_attention_kernel.cuh"

namespace rose::kernels {

cudaError_t ShortAttention64(const Launch& launch, const ShortAttentionArgs& args, int rows,
                             unsigned blocks) {
  return LaunchShort<64>(launch, args, rows, blocks);
}

}  // namespace rose::kernels
