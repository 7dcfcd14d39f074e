#include "rose/cpu/cpu_ops.h"

#include <algorithm>
#include <type_traits>

#include "common/check.h"
#include "rose/cpu/cpu_linear.h"

namespace rose::cpu {
namespace {

/// Elements below which a row operation (about a nanosecond for a few of them) is not shared.
constexpr int64_t kTaskElements = 8192;

template <typename T>
T* Data(Tensor tensor) {
  DCHECK(SizeOf(tensor.dtype) == sizeof(T)) << "is " << DTypeName(tensor.dtype);
  return static_cast<T*>(tensor.data);
}

/// Blocks of queries that a head's attention is cut into, so that all threads have work: each
/// block packs the head's keys and values anew, which 64 queries make up for.
int64_t QueryBlocks(int width, int64_t heads, int64_t tokens) {
  constexpr int64_t kQueriesMin = 64;
  if (width == 1) return 1;
  const int64_t wanted = (2 * width + heads - 1) / heads;
  return std::clamp<int64_t>(wanted, 1, std::max<int64_t>(tokens / kQueriesMin, 1));
}

}  // namespace

template <typename T>
DType CpuOps<T>::dtype() const {
  return std::is_same_v<T, float> ? DType::kFloat32 : DType::kBFloat16;
}

template <typename T>
void CpuOps<T>::ForRows(int64_t rows, int64_t cols,
                        absl::FunctionRef<void(int64_t, int64_t)> body) {
  const int64_t blocks = std::clamp<int64_t>(rows * cols / kTaskElements, 1, 4 * parallel_.width());
  if (parallel_.width() == 1 || blocks == 1) return body(0, rows);
  parallel_.For(blocks, [&](int64_t task, std::byte*) {
    const Share share = ShareOf(rows, task, blocks);
    body(share.begin, share.end);
  });
}

template <typename T>
void CpuOps<T>::Embed(Tensor table, std::span<const int32_t> ids, Tensor out, bool add) {
  DCHECK(static_cast<int64_t>(ids.size()) == out.rows && table.cols == out.cols);
  ForRows(out.rows, out.cols, [&](int64_t begin, int64_t end) {
    rows_.embed(Data<T>(table), ids.data() + begin, end - begin, out.cols, add,
                Data<T>(out) + begin * out.cols);
  });
}

template <typename T>
void CpuOps<T>::Add(Tensor x, Tensor y, Tensor out) {
  DCHECK(x.elements() == out.elements() && y.elements() == out.elements());
  ForRows(out.rows, out.cols, [&](int64_t begin, int64_t end) {
    const int64_t at = begin * out.cols;
    rows_.add(Data<T>(x) + at, Data<T>(y) + at, (end - begin) * out.cols, Data<T>(out) + at);
  });
}

template <typename T>
void CpuOps<T>::Norm(const NormParams& norm, Tensor x, Tensor out) {
  AddNorm(norm, x, /*residual=*/{}, out);
}

template <typename T>
void CpuOps<T>::AddNorm(const NormParams& norm, Tensor x, Tensor residual, Tensor out) {
  DCHECK(norm.weight.cols == x.cols && x.elements() == out.elements());
  ForRows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
    const int64_t at = begin * x.cols;
    rows_.norm({.x = Data<T>(x) + at,
                .residual = residual.data == nullptr ? nullptr : Data<T>(residual) + at,
                .rows = end - begin,
                .cols = x.cols,
                .weight = norm.weight.f32(),
                .bias = norm.bias.f32(),
                .epsilon = norm.epsilon,
                .out = Data<T>(out) + at});
  });
}

template <typename T>
void CpuOps<T>::EmbedNorm(Tensor words, std::span<const int32_t> ids, Tensor positions,
                          std::span<const int32_t> position_ids, Tensor types,
                          std::span<const int32_t> type_ids, const NormParams& norm, Tensor out) {
  DCHECK(static_cast<int64_t>(ids.size()) == out.rows && ids.size() == position_ids.size() &&
         ids.size() == type_ids.size());
  ForRows(out.rows, out.cols, [&](int64_t begin, int64_t end) {
    rows_.embed_norm({.words = Data<T>(words),
                      .ids = ids.data() + begin,
                      .positions = Data<T>(positions),
                      .position_ids = position_ids.data() + begin,
                      .types = Data<T>(types),
                      .type_ids = type_ids.data() + begin,
                      .rows = end - begin,
                      .cols = out.cols,
                      .weight = norm.weight.f32(),
                      .bias = norm.bias.f32(),
                      .epsilon = norm.epsilon,
                      .out = Data<T>(out) + begin * out.cols});
  });
}

template <typename T>
void CpuOps<T>::Linear(const LinearWeight& weight, Tensor x, Tensor out) {
  static_cast<const CpuLinear&>(weight).Multiply(x, nullptr, parallel_, out);
}

template <typename T>
void CpuOps<T>::LinearActivate(const LinearWeight& weight, Activation activation, Tensor x,
                               Tensor out) {
  static_cast<const CpuLinear&>(weight).Multiply(x, &activation, parallel_, out);
}

template <typename T>
void CpuOps<T>::Activate(Activation activation, Tensor x) {
  ForRows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
    rows_.activate(activation, (end - begin) * x.cols, Data<T>(x) + begin * x.cols);
  });
}

template <typename T>
void CpuOps<T>::Attention(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                          Tensor out) {
  const int64_t heads = params.heads, hidden = heads * params.head_dim;
  DCHECK(out.cols == hidden && qkv.cols == 3 * hidden && shape.tokens() == qkv.rows);
  for (int64_t s = 0; s < shape.sequences(); ++s) {
    const int64_t begin = shape.cu_seqlens[s], tokens = shape.cu_seqlens[s + 1] - begin;
    const int64_t blocks = QueryBlocks(parallel_.width(), heads, tokens);
    parallel_.For(heads * blocks, [&](int64_t task, std::byte* workspace) {
      const int64_t column = task / blocks * params.head_dim;
      const Share queries = ShareOf(tokens, task % blocks, blocks);
      const T* q = Data<T>(qkv) + begin * qkv.cols + column;
      rows_.attention({.q = q,
                       .k = q + hidden,
                       .v = q + 2 * hidden,
                       .stride = qkv.cols,
                       .tokens = tokens,
                       .query_begin = queries.begin,
                       .query_end = queries.end,
                       .head_dim = params.head_dim,
                       .scale = params.scale,
                       .out = Data<T>(out) + begin * hidden + column,
                       .out_stride = hidden,
                       .workspace = reinterpret_cast<float*>(workspace)});
    });
  }
}

template <typename T>
void CpuOps<T>::Pool(PoolingMode mode, Tensor x, const BatchShape& shape,
                     std::span<const int32_t> skip, int64_t column, Tensor out) {
  DCHECK(shape.tokens() == x.rows && shape.sequences() == out.rows && column + x.cols <= out.cols);
  for (int64_t s = 0; s < shape.sequences(); ++s) {
    rows_.pool({.mode = mode,
                .x = Data<T>(x) + shape.cu_seqlens[s] * x.cols,
                .tokens = shape.cu_seqlens[s + 1] - shape.cu_seqlens[s],
                .skip = skip.empty() ? 0 : skip[static_cast<std::size_t>(s)],
                .cols = x.cols,
                .out = out.f32() + s * out.cols + column});
  }
}

template <typename T>
void CpuOps<T>::Normalize(std::span<const uint8_t> flags, Tensor x) {
  DCHECK(static_cast<int64_t>(flags.size()) == x.rows);
  for (int64_t r = 0; r < x.rows; ++r) {
    if (flags[static_cast<std::size_t>(r)] != 0) kernels_.normalize(x.cols, x.f32() + r * x.cols);
  }
}

template class CpuOps<float>;
template class CpuOps<BFloat16>;

void WithCpuOps(DType dtype, const Kernels& kernels, Arena& arena, Parallel& parallel,
                absl::FunctionRef<void(Ops&)> body) {
  if (dtype == DType::kFloat32) {
    CpuOps<float> ops(kernels, arena, parallel);
    body(ops);
  } else {
    CHECK(dtype == DType::kBFloat16) << "activations of " << DTypeName(dtype);
    CpuOps<BFloat16> ops(kernels, arena, parallel);
    body(ops);
  }
}

int64_t CpuWorkspaceBytes(int64_t tokens_max, int64_t head_dim_max, int64_t linear_bytes) {
  const int64_t attention =
      AttentionWorkspaceFloats(tokens_max, head_dim_max) * int64_t{sizeof(float)};
  return std::max(attention, linear_bytes);
}

}  // namespace rose::cpu
