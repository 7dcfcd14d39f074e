#pragma once

#include "rose/kernels/fa3.h"

// One instance a source: each takes the better part of a minute to compile.

namespace rose::kernels {

cudaError_t Fa3D64Full(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream);
cudaError_t Fa3D64Full128x128(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream);
cudaError_t Fa3D64Causal(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream);
cudaError_t Fa3D128Full(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream);
cudaError_t Fa3D128Full128x128(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream);
cudaError_t Fa3D128Causal(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream);

}  // namespace rose::kernels
