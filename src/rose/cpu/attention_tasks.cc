#include "rose/cpu/attention_tasks.h"

#include <algorithm>
#include <limits>
#include <span>

#include "common/check.h"
#include "rose/cpu/parallel.h"
#include "rose/cpu/tensor_data.h"

namespace rose::cpu {
namespace {

/// Blocks of tokens whose queries make a task of a key and value head, so that all threads have
/// work: each task gathers keys and values anew, which 64 tokens make up for.
int64_t QueryBlocks(int width, int64_t kv_heads, int64_t tokens) {
  constexpr int64_t kTokensMin = 64, kTasksPerThread = 4;
  if (width == 1) return 1;
  const int64_t wanted = (kTasksPerThread * width + kv_heads - 1) / kv_heads;
  return std::clamp<int64_t>(wanted, 1, std::max<int64_t>(tokens / kTokensMin, 1));
}

}  // namespace

AttentionTasks::AttentionTasks(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                               Tensor out, int width)
    : params_(params),
      qkv_(qkv),
      shape_(shape),
      out_(out),
      blocks_(QueryBlocks(width, params.key_value_heads(), qkv.rows)) {
  DCHECK(out.cols == params.heads * params.head_dim && qkv.cols == params.qkv_cols());
  DCHECK(shape.tokens == qkv.rows && params.heads % params.key_value_heads() == 0);
  DCHECK(params.paged_keys == nullptr);
}

/// What all sequences of a batch share, of one key and value head. q, k, v and out are those of the
/// batch's first token.
template <typename T>
AttentionArgs<T> AttentionTasks::HeadArgs(int64_t kv_head) const {
  constexpr int64_t kNoLimit = std::numeric_limits<int32_t>::max();
  const int64_t dim = params_.head_dim, heads = params_.heads;
  const int64_t kv_heads = params_.key_value_heads(), group = heads / kv_heads;
  const bool causal = params_.mask == AttentionMask::kCausal;
  const int64_t window = params_.window == 0 ? kNoLimit : params_.window;
  const Tensor bias = params_.position_bias;
  const T* row = Data<T>(qkv_);
  return {.q = row + kv_head * group * dim,
          .k = row + (heads + kv_head) * dim,
          .v = row + (heads + kv_heads + kv_head) * dim,
          .stride = qkv_.cols,
          .group = group,
          .head_dim = dim,
          .scale = params_.scale,
          .before = causal ? window - 1 : window,
          .after = causal ? 0 : window,
          .bias = bias.data == nullptr ? nullptr
                                       : bias.f32() + kv_head * group * bias.cols + bias.cols / 2,
          .bias_stride = bias.cols,
          .out = Data<T>(out_) + kv_head * group * dim,
          .out_stride = out_.cols};
}

template <typename T>
void AttentionTasks::Run(const RowKernels<T>& kernels, int64_t task, float* workspace) const {
  const int64_t kv_heads = params_.key_value_heads();
  const Share rows = ShareOf(qkv_.rows, task / kv_heads, blocks_);
  const AttentionArgs<T> batch = HeadArgs<T>(task % kv_heads);
  const std::span<const int32_t> bounds = shape_.cu_seqlens;
  const auto after = std::upper_bound(bounds.begin(), bounds.end(), rows.begin);
  for (auto end = after; end != bounds.end() && end[-1] < rows.end; ++end) {
    const int64_t begin = end[-1];
    AttentionArgs<T> args = batch;
    args.q += begin * batch.stride;
    args.k += begin * batch.stride;
    args.v += begin * batch.stride;
    args.out += begin * batch.out_stride;
    args.tokens = *end - begin;
    args.query_begin = std::max(rows.begin - begin, int64_t{0});
    args.query_end = std::min(rows.end - begin, args.tokens);
    args.workspace = workspace;
    kernels.attention(args);
  }
}

template void AttentionTasks::Run(const RowKernels<float>& kernels, int64_t task,
                                  float* workspace) const;
template void AttentionTasks::Run(const RowKernels<BFloat16>& kernels, int64_t task,
                                  float* workspace) const;

}  // namespace rose::cpu
