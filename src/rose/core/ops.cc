#include "rose/core/ops.h"

#include <algorithm>
#include <array>

namespace rose {

void Ops::EmbedNorm(Tensor words, std::span<const int32_t> ids, Tensor positions,
                    std::span<const int32_t> position_ids, Tensor types,
                    std::span<const int32_t> type_ids, const NormParams& norm, Tensor out) {
  Embed(words, ids, out, /*add=*/false);
  if (positions.data != nullptr) Embed(positions, position_ids, out, /*add=*/true);
  if (types.data != nullptr) Embed(types, type_ids, out, /*add=*/true);
  Norm(norm, out, out);
}

void Ops::LinearActivate(const LinearWeight& weight, Activation activation, Tensor x, Tensor out) {
  Linear(weight, x, out);
  Activate(activation, out);
}

void Ops::LinearGate(const LinearWeight& weight, Activation activation, Tensor x, Tensor out) {
  ScratchScope scope(*this);
  const Tensor both = Scratch(x.rows, weight.out_features, x.dtype);
  Linear(weight, x, both);
  Gate(activation, both, out);
}

void Ops::AddNorm(const NormParams& norm, Tensor x, Tensor residual, Tensor out) {
  Add(x, residual, out);
  Norm(norm, out, out);
}

void Ops::ResidualNorm(const NormParams& norm, Tensor y, Tensor x, Tensor out) {
  Add(x, y, x);
  Norm(norm, x, out);
}

void Ops::LinearResidualNorm(const LinearWeight& weight, const NormParams& norm, Tensor y, Tensor x,
                             Tensor out) {
  ScratchScope scope(*this);
  const Tensor product = Scratch(x.rows, x.cols, x.dtype);
  Linear(weight, y, product);
  if (out.data == x.data) {
    AddNorm(norm, product, x, out);
  } else {
    ResidualNorm(norm, product, x, out);
  }
}

void Ops::HeadNormRope(const HeadNormRopeParams& params, Tensor qkv) {
  const auto& [q_norm, k_norm, rope, position_ids, heads, kv_heads] = params;
  HeadNorm(q_norm, 0, heads, qkv);
  HeadNorm(k_norm, heads * rope.head_dim, kv_heads, qkv);
  Rope(rope, position_ids, heads + kv_heads, qkv);
}

void Ops::PoolNormalize(PoolingMode mode, Tensor x, const BatchShape& shape,
                        std::span<const int32_t> skip, std::span<const uint8_t> flags, Tensor out) {
  Pool(mode, x, shape, skip, /*column=*/0, out);
  Normalize(flags, out);
}

void Ops::LinearPool(const LinearWeight& weight, std::span<const Activation> activations,
                     PoolingMode mode, Tensor x, const BatchShape& shape, Tensor out) {
  constexpr int64_t kBlockTokens = 64;
  const int64_t cols = weight.out_features;
  for (int64_t s = 0; s < shape.sequences(); ++s) {
    ScratchScope scope(*this);
    const int64_t begin = shape.cu_seqlens[static_cast<std::size_t>(s)];
    const int64_t tokens = shape.cu_seqlens[static_cast<std::size_t>(s + 1)] - begin;
    const int64_t blocks = (tokens + kBlockTokens - 1) / kBlockTokens;
    const Tensor products = Scratch(std::min(tokens, kBlockTokens), cols, x.dtype);
    const Tensor pooled = Scratch(blocks, cols, DType::kFloat32);
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t first = block * kBlockTokens;
      const int64_t count = std::min(tokens - first, kBlockTokens);
      const Tensor rows = products.Rows(0, count);
      Linear(weight, x.Rows(begin + first, count), rows);
      for (Activation activation : activations) Activate(activation, rows);
      const std::array<int32_t, 2> all = {0, static_cast<int32_t>(count)};
      Pool(mode, rows, BatchShape::OfHost(all), /*skip=*/{}, /*column=*/0, pooled.Rows(block, 1));
    }
    const std::array<int32_t, 2> all = {0, static_cast<int32_t>(blocks)};
    Pool(mode, pooled, BatchShape::OfHost(all), /*skip=*/{}, /*column=*/0, out.Rows(s, 1));
  }
}

}  // namespace rose
