#pragma once

#include "rose/kernels/fa2.h"

namespace rose::kernels {

cudaError_t Fa2D64Full(const AttentionArgs& args, const Fa2Plan& plan, bool overlap,
                       cudaStream_t stream);
cudaError_t Fa2D64Causal(const AttentionArgs& args, const Fa2Plan& plan, bool overlap,
                         cudaStream_t stream);
cudaError_t Fa2D128Full(const AttentionArgs& args, const Fa2Plan& plan, bool overlap,
                        cudaStream_t stream);
cudaError_t Fa2D128Causal(const AttentionArgs& args, const Fa2Plan& plan, bool overlap,
                          cudaStream_t stream);

}  // namespace rose::kernels
