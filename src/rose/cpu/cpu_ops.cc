#include "rose/cpu/cpu_ops.h"

#include <algorithm>

#include "common/check.h"
#include "rose/cpu/attention_tasks.h"
#include "rose/cpu/cpu_linear.h"
#include "rose/cpu/tensor_data.h"

namespace rose::cpu {
namespace {

/// Elements below which a row operation (about a nanosecond for a few of them) is not shared.
constexpr int64_t kTaskElements = 8192;

NormWeights WeightsOf(const NormParams& norm) {
  return {.kind = norm.kind,
          .weight = norm.weight.f32(),
          .bias = norm.bias.data == nullptr ? nullptr : norm.bias.f32(),
          .epsilon = norm.epsilon};
}

RopeAngles AnglesOf(const RopeParams& rope, int32_t position) {
  DCHECK(0 <= position && position < rope.table.rows && rope.rotary_dim == rope.table.cols);
  const float* angles = rope.table.f32() + int64_t{position} * rope.rotary_dim;
  const int64_t half = rope.rotary_dim / 2;
  return {.cosines = angles, .sines = angles + half, .half = half};
}

/// `heads` pieces of one row: rows of their own.
template <typename T>
void NormHeads(const RowKernels<T>& kernels, const NormParams& norm, int64_t heads, T* x) {
  kernels.norm(
      {.norm = WeightsOf(norm), .x = x, .rows = heads, .cols = norm.weight.cols, .out = x});
}

}  // namespace

CpuOps::CpuOps(DType dtype, const Kernels& kernels, Arena& arena, Parallel& parallel)
    : dtype_(dtype), kernels_(kernels), arena_(arena), parallel_(parallel) {
  CHECK(dtype == DType::kFloat32 || dtype == DType::kBFloat16)
      << "activations of " << DTypeName(dtype);
}

void CpuOps::ForRows(int64_t rows, int64_t cols, absl::FunctionRef<void(int64_t, int64_t)> body) {
  const int64_t blocks = std::clamp<int64_t>(rows * cols / kTaskElements, 1, 4 * parallel_.width());
  if (parallel_.width() == 1 || blocks == 1) return body(0, rows);
  parallel_.For(blocks, [&](int64_t task, std::byte*) {
    const Share share = ShareOf(rows, task, blocks);
    body(share.begin, share.end);
  });
}

void CpuOps::Embed(Tensor table, std::span<const int32_t> ids, Tensor out, bool add) {
  DCHECK(static_cast<int64_t>(ids.size()) == out.rows && table.cols == out.cols);
  kernels_.For(out.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(out.rows, out.cols, [&](int64_t begin, int64_t end) {
      kernels.embed(Data<T>(table), ids.data() + begin, end - begin, out.cols, add,
                    Data<T>(out) + begin * out.cols);
    });
  });
}

void CpuOps::Add(Tensor x, Tensor y, Tensor out) {
  DCHECK(x.elements() == out.elements() && y.elements() == out.elements());
  kernels_.For(out.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(out.rows, out.cols, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * out.cols;
      kernels.add(Data<T>(x) + at, Data<T>(y) + at, (end - begin) * out.cols, Data<T>(out) + at);
    });
  });
}

void CpuOps::Norm(const NormParams& norm, Tensor x, Tensor out) {
  AddNorm(norm, x, /*residual=*/{}, out);
}

void CpuOps::AddNorm(const NormParams& norm, Tensor x, Tensor residual, Tensor out) {
  DCHECK(norm.weight.cols == x.cols && x.elements() == out.elements());
  kernels_.For(out.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * x.cols;
      kernels.norm({.norm = WeightsOf(norm),
                    .x = Data<T>(x) + at,
                    .residual = residual.data == nullptr ? nullptr : Data<T>(residual) + at,
                    .rows = end - begin,
                    .cols = x.cols,
                    .out = Data<T>(out) + at});
    });
  });
}

void CpuOps::ResidualNorm(const NormParams& norm, Tensor y, Tensor x, Tensor out) {
  DCHECK(norm.weight.cols == x.cols && x.elements() == out.elements());
  kernels_.For(out.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * x.cols;
      kernels.residual_norm({.norm = WeightsOf(norm),
                             .y = Data<T>(y) + at,
                             .rows = end - begin,
                             .cols = x.cols,
                             .x = Data<T>(x) + at,
                             .out = Data<T>(out) + at});
    });
  });
}

void CpuOps::EmbedNorm(Tensor words, std::span<const int32_t> ids, Tensor positions,
                       std::span<const int32_t> position_ids, Tensor types,
                       std::span<const int32_t> type_ids, const NormParams& norm, Tensor out) {
  DCHECK(static_cast<int64_t>(ids.size()) == out.rows);
  DCHECK(positions.data == nullptr || ids.size() == position_ids.size());
  DCHECK(types.data == nullptr || ids.size() == type_ids.size());
  kernels_.For(out.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(out.rows, out.cols, [&](int64_t begin, int64_t end) {
      kernels.embed_norm({.norm = WeightsOf(norm),
                          .words = Data<T>(words),
                          .ids = ids.data() + begin,
                          .positions = DataOrNull<T>(positions),
                          .position_ids = position_ids.data() + begin,
                          .types = DataOrNull<T>(types),
                          .type_ids = type_ids.data() + begin,
                          .rows = end - begin,
                          .cols = out.cols,
                          .out = Data<T>(out) + begin * out.cols});
    });
  });
}

void CpuOps::HeadNorm(const NormParams& norm, int64_t column, int64_t heads, Tensor x) {
  const int64_t head_dim = norm.weight.cols;
  DCHECK(column + heads * head_dim <= x.cols);
  kernels_.For(x.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(x.rows, heads * head_dim, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        NormHeads(kernels, norm, heads, Data<T>(x) + r * x.cols + column);
      }
    });
  });
}

void CpuOps::Rope(const RopeParams& rope, std::span<const int32_t> position_ids, int64_t heads,
                  Tensor x) {
  DCHECK(static_cast<int64_t>(position_ids.size()) == x.rows && heads * rope.head_dim <= x.cols);
  kernels_.For(x.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(x.rows, heads * rope.head_dim, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        kernels.rope(AnglesOf(rope, position_ids[static_cast<std::size_t>(r)]), heads,
                     rope.head_dim, Data<T>(x) + r * x.cols);
      }
    });
  });
}

void CpuOps::HeadNormRope(const HeadNormRopeParams& params, Tensor qkv) {
  // By name: clang 14 lets no lambda see a structured binding.
  const RopeParams& rope = params.rope;
  const int64_t heads = params.heads, kv_heads = params.kv_heads;
  DCHECK(static_cast<int64_t>(params.position_ids.size()) == qkv.rows);
  DCHECK((heads + 2 * kv_heads) * rope.head_dim == qkv.cols);
  kernels_.For(qkv.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(qkv.rows, qkv.cols, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        T* row = Data<T>(qkv) + r * qkv.cols;
        NormHeads(kernels, params.q_norm, heads, row);
        NormHeads(kernels, params.k_norm, kv_heads, row + heads * rope.head_dim);
        kernels.rope(AnglesOf(rope, params.position_ids[static_cast<std::size_t>(r)]),
                     heads + kv_heads, rope.head_dim, row);
      }
    });
  });
}

void CpuOps::Linear(const LinearWeight& weight, Tensor x, Tensor out) {
  static_cast<const CpuLinear&>(weight).Multiply(x, nullptr, parallel_, out);
}

void CpuOps::LinearActivate(const LinearWeight& weight, Activation activation, Tensor x,
                            Tensor out) {
  static_cast<const CpuLinear&>(weight).Multiply(x, &activation, parallel_, out);
}

void CpuOps::Activate(Activation activation, Tensor x) {
  kernels_.For(x.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
      kernels.activate(activation, (end - begin) * x.cols, Data<T>(x) + begin * x.cols);
    });
  });
}

void CpuOps::Gate(Activation activation, Tensor x, Tensor out) {
  DCHECK(x.cols == 2 * out.cols && x.rows == out.rows);
  kernels_.For(x.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
      kernels.gate(activation, Data<T>(x) + begin * x.cols, end - begin, out.cols,
                   Data<T>(out) + begin * out.cols);
    });
  });
}

void CpuOps::Attention(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                       Tensor out) {
  const AttentionTasks tasks(params, qkv, shape, out, parallel_.width());
  kernels_.For(qkv.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    parallel_.For(tasks.count(), [&](int64_t task, std::byte* workspace) {
      tasks.Run(kernels, task, reinterpret_cast<float*>(workspace));
    });
  });
}

void CpuOps::Pool(PoolingMode mode, Tensor x, const BatchShape& shape,
                  std::span<const int32_t> skip, int64_t column, Tensor out) {
  DCHECK(shape.tokens == x.rows && shape.sequences() == out.rows && column + x.cols <= out.cols);
  kernels_.For(x.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    for (int64_t s = 0; s < shape.sequences(); ++s) {
      const int64_t first = shape.cu_seqlens[s], tokens = shape.cu_seqlens[s + 1] - first;
      ForRows(x.cols, tokens, [&](int64_t begin, int64_t end) {  // Columns here.
        kernels.pool({.mode = mode,
                      .x = Data<T>(x) + first * x.cols + begin,
                      .stride = x.cols,
                      .tokens = tokens,
                      .skip = skip.empty() ? 0 : skip[static_cast<std::size_t>(s)],
                      .cols = end - begin,
                      .out = out.f32() + s * out.cols + column + begin});
      });
    }
  });
}

void CpuOps::Normalize(std::span<const uint8_t> flags, Tensor x) {
  DCHECK(flags.empty() || static_cast<int64_t>(flags.size()) == x.rows);
  kernels_.For(x.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        if (!flags.empty() && flags[static_cast<std::size_t>(r)] == 0) continue;
        kernels.normalize(x.cols, Data<T>(x) + r * x.cols);
      }
    });
  });
}

void CpuOps::Widen(Tensor x, Tensor out) {
  DCHECK(x.elements() == out.elements());
  kernels_.For(x.dtype, [&]<typename T>(const RowKernels<T>& kernels) {
    ForRows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * x.cols;
      kernels.widen(Data<T>(x) + at, (end - begin) * x.cols, out.f32() + at);
    });
  });
}

int64_t CpuWorkspaceBytes(int64_t head_dim_max, int64_t linear_bytes) {
  return std::max(AttentionWorkspaceFloats(head_dim_max) * int64_t{sizeof(float)}, linear_bytes);
}

}  // namespace rose::cpu
