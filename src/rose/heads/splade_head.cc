#include "rose/heads/splade_head.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace rose {
namespace {

/// Tokens whose logits are held at a time, a vocabulary's worth of them each.
constexpr int64_t kBlockTokens = 64;

Tensor Rows(Tensor tensor, int64_t first, int64_t count) {
  Tensor rows = tensor;
  rows.rows = count;
  if (rows.data != nullptr) {
    rows.data = static_cast<std::byte*>(tensor.data) +
                first * tensor.cols * static_cast<int64_t>(SizeOf(tensor.dtype));
  }
  return rows;
}

}  // namespace

void SpladeHead::Run(Ops& ops, const ModelInput& input, Tensor hidden, Tensor out) const {
  ScratchScope scope(ops);
  const Tensor x = ops.Scratch(hidden.rows, transform.out_features());
  ops.LinearActivate(*transform.weight, activation, hidden, x);
  norm(ops, x, x);
  for (int64_t s = 0; s < input.shape.sequences(); ++s) {
    const int64_t begin = input.shape.cu_seqlens[static_cast<std::size_t>(s)];
    const int64_t end = input.shape.cu_seqlens[static_cast<std::size_t>(s + 1)];
    RunSequence(ops, Rows(x, begin, end - begin), Rows(out, s, 1));
  }
  // The logarithm does not change which logit is the largest: it may come last.
  if (splade.pooling == hub::Splade::Pooling::kMax) Saturate(ops, out);
}

void SpladeHead::Saturate(Ops& ops, Tensor logits) const {
  ops.Activate(Activation::kLog1pRelu, logits);
  if (splade.log1p_twice) ops.Activate(Activation::kLog1pRelu, logits);
}

void SpladeHead::RunSequence(Ops& ops, Tensor x, Tensor out) const {
  const bool is_sum = splade.pooling == hub::Splade::Pooling::kSum;
  const PoolingMode mode = is_sum ? PoolingMode::kSum : PoolingMode::kMax;
  ScratchScope scope(ops);
  const int64_t blocks = (x.rows + kBlockTokens - 1) / kBlockTokens;
  const Tensor logits = ops.Scratch(std::min(x.rows, kBlockTokens), decoder.out_features());
  const Tensor pooled = ops.Scratch(blocks, decoder.out_features(), DType::kFloat32);
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t first = block * kBlockTokens;
    const int64_t count = std::min(x.rows - first, kBlockTokens);
    const Tensor rows = Rows(logits, 0, count);
    decoder(ops, Rows(x, first, count), rows);
    if (is_sum) Saturate(ops, rows);
    const std::array<int32_t, 2> block_rows = {0, static_cast<int32_t>(count)};
    ops.Pool(mode, rows, {.cu_seqlens = block_rows}, /*skip=*/{}, /*column=*/0,
             Rows(pooled, block, 1));
  }
  const std::array<int32_t, 2> all_blocks = {0, static_cast<int32_t>(blocks)};
  ops.Pool(mode, pooled, {.cu_seqlens = all_blocks}, /*skip=*/{}, /*column=*/0, out);
}

}  // namespace rose
