#include "rose/cpu/kernels.h"

namespace rose::cpu {

const Kernels& KernelsFor(Isa isa) { return isa >= Isa::kAvx512 ? Avx512Kernels() : Avx2Kernels(); }

int64_t AttentionWorkspaceFloats(int64_t tokens, int64_t head_dim) {
  constexpr int64_t kPanel = 32, kTile = 12;
  const int64_t padded_tokens = (tokens + kPanel - 1) / kPanel * kPanel;
  const int64_t padded_dim = (head_dim + kPanel - 1) / kPanel * kPanel;
  return padded_tokens * padded_dim * 2              // Keys, values.
         + kTile * (padded_dim * 2 + padded_tokens)  // Queries, sums, scores.
         + kPanel * 2;                               // Zeros; the softmax sums.
}

}  // namespace rose::cpu
