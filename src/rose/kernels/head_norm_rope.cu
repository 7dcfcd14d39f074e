#include <algorithm>

#include "rose/kernels/device/heads.cuh"
#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/device/rows.cuh"
#include "rose/kernels/device/vector.cuh"
#include "rose/kernels/divisor.h"
#include "rose/kernels/head_norm_rope.h"
#include "rose/kernels/row_plan.h"

namespace rose::kernels {
namespace {

/// How threads find their work: `lanes` threads, a power of two, take kHeads heads of a row.
struct HeadGroups {
  int lanes_log2;
  Divisor of_row;
};

template <int kWidth>
__device__ __forceinline__ float Squares(const Floats<kWidth>& x) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) sum = fmaf(x[i], x[i], sum);
  return sum;
}

/// Root mean square norms without bias, of whole vectors, turned over the whole head. A thread has
/// a vector of a head's first half and the one it is turned with, so that turning needs no
/// exchange; the cosines and sines serve kHeads heads.
template <int kWidth, int kHeads, bool kNorm, bool kRope, typename T>
__global__ void __launch_bounds__(256)
    HalvesKernel(Heads<T> heads, Norms norms, Turns turns, HeadGroups groups, RowCount rows) {
  TriggerSuccessor();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int lanes = 1 << groups.lanes_log2;
  const int half = lanes * kWidth;
  const int at = (static_cast<int>(thread) & (lanes - 1)) * kWidth;
  const unsigned group = thread >> groups.lanes_log2;
  int row = static_cast<int>(groups.of_row.Quotient(group));
  const int first_head = static_cast<int>(group - row * groups.of_row.divisor()) * kHeads;
  const bool inside = row < rows.rows;
  if (!inside) row = rows.rows - 1;  // Whole warps sum: these threads read, and write nothing.
  const RowNorm norm = norms.At(first_head < heads.queries);
  Floats<kWidth> low_weight, high_weight;
  if constexpr (kNorm) {
    low_weight = LoadWeights<kWidth, /*kEarly=*/true>(norm.weight + at);
    high_weight = LoadWeights<kWidth, /*kEarly=*/true>(norm.weight + half + at);
  }
  WaitForPredecessor();
  const bool used = row < rows.Used();
  T* const x = heads.x + row * heads.cols + int64_t{first_head} * heads.head_dim + at;
  Vector<T, kWidth> low[kHeads], high[kHeads];
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    low[head] = Load<T, kWidth>(x + head * heads.head_dim);
    high[head] = Load<T, kWidth>(x + head * heads.head_dim + half);
  }
  Floats<kWidth> cosines, sines;
  if constexpr (kRope) {
    const float* const turn = turns.At(row, used) + at;
    cosines = LoadWeights<kWidth, /*kEarly=*/false>(turn);
    sines = LoadWeights<kWidth, /*kEarly=*/false>(turn + half);
  }
  float squares[kHeads] = {};
  if constexpr (kNorm) {
#pragma unroll
    for (int head = 0; head < kHeads; ++head) {
      squares[head] = Squares(Widen(low[head])) + Squares(Widen(high[head]));
    }
    SumLanes(squares, lanes);
  }
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    Floats<kWidth> a = Widen(low[head]), b = Widen(high[head]);
    if constexpr (kNorm) {
      const float scale = norm.Scale(squares[head]);
#pragma unroll
      for (int i = 0; i < kWidth; ++i) {
        a[i] *= scale * low_weight[i];
        b[i] *= scale * high_weight[i];
      }
    }
    if constexpr (kRope) {
#pragma unroll
      for (int i = 0; i < kWidth; ++i) {
        const float turned = a[i] * cosines[i] - b[i] * sines[i];
        b[i] = b[i] * cosines[i] + a[i] * sines[i];
        a[i] = turned;
      }
    }
    if (!inside) continue;
    Store(x + head * heads.head_dim, used ? Narrow<T>(a) : low[head]);
    Store(x + head * heads.head_dim + half, used ? Narrow<T>(b) : high[head]);
  }
}

/// One head's numbers, as a norm leaves them.
template <typename T>
struct NormedHead {
  const T* x;
  RowNorm norm;
  float mean;
  float scale;  ///< Negative: no norm.

  __device__ float operator[](int c) const {
    const float value = Widen(Load<T, 1>(x + c))[0];
    if (scale < 0) return value;
    const float bias = norm.bias == nullptr ? 0 : norm.bias[c];
    return fmaf((value - mean) * scale, norm.weight[c], bias);
  }
};

/// The statistics of a head's norm, by the whole warp.
template <typename T>
__device__ NormedHead<T> NormHead(const T* x, const RowNorm& norm, int head_dim, int lane) {
  const NormedHead<T> plain{.x = x, .norm = norm, .mean = 0, .scale = -1};
  float sum = 0, squares = 0;
  for (int c = lane; c < head_dim; c += kWarpSize) sum += plain[c];
  const float mean = norm.centred ? norm.Mean(LanesSum(sum)) : 0;
  for (int c = lane; c < head_dim; c += kWarpSize) {
    squares = fmaf(plain[c] - mean, plain[c] - mean, squares);
  }
  return {.x = x, .norm = norm, .mean = mean, .scale = norm.Scale(LanesSum(squares))};
}

/// Heads of any width and norm, turned as far as they are: a warp a head, an element or a pair of
/// them at a time. Every element is written by the thread that read it last.
template <bool kNorm, bool kRope, typename T>
__global__ void __launch_bounds__(256)
    AnyHeadKernel(Heads<T> heads, Norms norms, Turns turns, Divisor of_row, RowCount rows) {
  TriggerSuccessor();
  WaitForPredecessor();
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize;
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int row = static_cast<int>(of_row.Quotient(warp));
  const int head = static_cast<int>(warp - row * of_row.divisor());
  if (row >= rows.rows || row >= rows.Used()) return;
  T* const x = heads.x + row * heads.cols + int64_t{head} * heads.head_dim;
  const RowNorm norm = norms.At(head < heads.queries);
  NormedHead<T> values{.x = x, .norm = norm, .mean = 0, .scale = -1};
  if constexpr (kNorm) values = NormHead(static_cast<const T*>(x), norm, heads.head_dim, lane);
  const auto store = [&](int c, float value) { Store(x + c, Narrow<T>(Floats<1>{{value}})); };
  const int rotary_dim = kRope ? turns.rotary_dim : 0;
  const int half = rotary_dim / 2;
  const float* const turn = kRope ? turns.At(row, /*used=*/true) : nullptr;
  for (int c = lane; c < half; c += kWarpSize) {
    const float a = values[c], b = values[half + c];
    const float cosine = turn[c], sine = turn[half + c];
    store(c, a * cosine - b * sine);
    store(half + c, b * cosine + a * sine);
  }
  if constexpr (kNorm) {  // Else what is not turned stays.
    for (int c = rotary_dim + lane; c < heads.head_dim; c += kWarpSize) store(c, values[c]);
  }
}

template <typename Norm>
bool WholeVectors(const Norm& norm) {
  return !norm.centred && norm.bias == nullptr &&
         reinterpret_cast<uintptr_t>(norm.weight) % 16 == 0;
}

/// Whether HalvesKernel computes this.
template <bool kNorm, bool kRope, typename T>
bool FitsHalves(const Heads<T>& heads, const Norms& norms, const Turns& turns) {
  constexpr int kWidth = 16 / sizeof(T);
  const int lanes = heads.head_dim / (2 * kWidth);
  const bool whole = heads.head_dim % (2 * kWidth) == 0 && lanes <= kWarpSize &&
                     (lanes & (lanes - 1)) == 0 && heads.cols % kWidth == 0 &&
                     reinterpret_cast<uintptr_t>(heads.x) % 16 == 0;
  const bool normed = !kNorm || (WholeVectors(norms.queries) && WholeVectors(norms.keys));
  const bool turned = !kRope || (turns.rotary_dim == heads.head_dim &&
                                 reinterpret_cast<uintptr_t>(turns.table) % 16 == 0);
  return whole && normed && turned;
}

template <bool kNorm, bool kRope, typename T>
cudaError_t RunHalves(const Launch& launch, const Heads<T>& heads, const Norms& norms,
                      const Turns& turns, RowCount rows) {
  constexpr int kWidth = 16 / sizeof(T);
  const int lanes = heads.head_dim / (2 * kWidth);
  const HeadPlan plan = PlanHeads(rows.rows, heads.heads, heads.queries, lanes);
  const auto run = [&](auto kernel) {
    const HeadGroups groups{.lanes_log2 = plan.lanes_log2,
                            .of_row = Divisor(static_cast<uint32_t>(heads.heads / plan.heads))};
    return LaunchKernel(launch, kernel, dim3(plan.blocks), dim3(plan.threads), /*shared_bytes=*/0,
                        heads, norms, turns, groups, rows);
  };
  if (plan.heads == 4) return run(HalvesKernel<kWidth, 4, kNorm, kRope, T>);
  if (plan.heads == 2) return run(HalvesKernel<kWidth, 2, kNorm, kRope, T>);
  return run(HalvesKernel<kWidth, 1, kNorm, kRope, T>);
}

template <bool kNorm, bool kRope, typename T>
cudaError_t Run(const Launch& launch, const Heads<T>& heads, const Norms& norms, const Turns& turns,
                RowCount rows) {
  if (rows.rows == 0 || heads.heads == 0) return cudaSuccess;
  if (FitsHalves<kNorm, kRope>(heads, norms, turns)) {
    return RunHalves<kNorm, kRope>(launch, heads, norms, turns, rows);
  }
  constexpr int kThreads = 256;
  constexpr int kWarps = kThreads / kWarpSize;
  const int64_t warps = int64_t{rows.rows} * heads.heads;
  return LaunchKernel(launch, AnyHeadKernel<kNorm, kRope, T>,
                      dim3(static_cast<unsigned>((warps + kWarps - 1) / kWarps)), dim3(kThreads),
                      /*shared_bytes=*/0, heads, norms, turns,
                      Divisor(static_cast<uint32_t>(heads.heads)), rows);
}

}  // namespace

cudaError_t HeadNorm(const Launch& launch, const NormParams& norm, int64_t column, int64_t heads,
                     Tensor x) {
  const RowNorm weights = MakeRowNorm(norm);
  return WithElements(x.dtype, [&]<typename T>() {
    return Run<true, false>(launch, MakeHeads<T>(x, column, norm.weight.cols, heads, heads),
                            {weights, weights}, {}, CountRows(launch, x));
  });
}

cudaError_t Rope(const Launch& launch, const RopeParams& rope, const int32_t* position_ids,
                 int64_t heads, Tensor x) {
  return WithElements(x.dtype, [&]<typename T>() {
    return Run<false, true>(launch, MakeHeads<T>(x, 0, rope.head_dim, heads, heads), {},
                            MakeTurns(rope, position_ids), CountRows(launch, x));
  });
}

cudaError_t HeadNormRope(const Launch& launch, const HeadNormRopeParams& params, Tensor qkv) {
  const Norms norms{MakeRowNorm(params.q_norm), MakeRowNorm(params.k_norm)};
  return WithElements(qkv.dtype, [&]<typename T>() {
    return Run<true, true>(
        launch,
        MakeHeads<T>(qkv, 0, params.rope.head_dim, params.heads + params.kv_heads, params.heads),
        norms, MakeTurns(params.rope, params.position_ids.data()), CountRows(launch, qkv));
  });
}

}  // namespace rose::kernels
