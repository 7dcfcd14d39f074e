#include <algorithm>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/step_io.h"

namespace rose::kernels {
namespace {

constexpr int kThreads = 256;

struct FetchParams {
  StepRing ring;
  int32_t tokens;
  int32_t sequences;
  StepArrays arrays;
  StepState* state;
};

template <typename T>
__device__ T* At(const StepArrays& arrays, int64_t offset) {
  return reinterpret_cast<T*>(static_cast<char*>(arrays.data) + offset);
}

/// Values of the host from `from`, read past every cache: the host writes there again and again.
__device__ int32_t ReadHost(const char* from, int64_t offset, int64_t i) {
  return __ldcv(reinterpret_cast<const int32_t*>(from + offset) + i);
}

__device__ void FetchToken(const FetchParams& p, const char* input, int64_t i) {
  const StepLayout& layout = p.ring.layout;
  // All reads are under way before the first is needed: each takes a microsecond over the bus.
  const int32_t tokens = ReadHost(input, offsetof(StepHeader, tokens), 0);
  const int32_t has_types = ReadHost(input, offsetof(StepHeader, has_types), 0);
  const int32_t id = ReadHost(input, layout.ids, i);
  const int32_t position = ReadHost(input, layout.position_ids, i);
  const bool used = i < tokens;
  At<int32_t>(p.arrays, layout.ids)[i] = used ? id : 0;
  At<int32_t>(p.arrays, layout.position_ids)[i] = used ? position : 0;
  At<int32_t>(p.arrays, layout.type_ids)[i] =
      used && has_types != 0 ? ReadHost(input, layout.type_ids, i) : 0;
}

__device__ void FetchSequence(const FetchParams& p, const char* input, int64_t s) {
  const StepLayout& layout = p.ring.layout;
  const int32_t tokens = ReadHost(input, offsetof(StepHeader, tokens), 0);
  const int32_t sequences = ReadHost(input, offsetof(StepHeader, sequences), 0);
  const int32_t has_prompts = ReadHost(input, offsetof(StepHeader, has_prompts), 0);
  const int32_t begin = ReadHost(input, layout.cu_seqlens, s);
  At<int32_t>(p.arrays, layout.cu_seqlens)[s] = s < sequences ? begin : tokens;
  if (s == p.sequences) return;  // The last bound; there is no such sequence.
  const bool used = s < sequences;
  const auto* flags = reinterpret_cast<const volatile uint8_t*>(input + layout.normalize);
  At<int32_t>(p.arrays, layout.prompt_lengths)[s] =
      used && has_prompts != 0 ? ReadHost(input, layout.prompt_lengths, s) : 0;
  At<uint8_t>(p.arrays, layout.normalize)[s] = used ? flags[s] : 0;
}

/// The first blocks fetch tokens, those behind them sequences. The last block to end moves the ring
/// on: until then every block must find the same step.
__global__ void FetchStepKernel(FetchParams p) {
  WaitForPredecessor();
  const uint32_t step = *const_cast<const volatile uint32_t*>(&p.state->steps);
  const char* input = static_cast<const char*>(p.ring.data) +
                      static_cast<int64_t>(step % p.ring.inputs) * p.ring.layout.bytes;
  const int64_t thread = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const int64_t token_threads = (int64_t{p.tokens} + kThreads - 1) / kThreads * kThreads;
  if (thread < p.tokens) {
    FetchToken(p, input, thread);
  } else if (thread >= token_threads && thread - token_threads <= p.sequences) {
    FetchSequence(p, input, thread - token_threads);
  }
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(&p.state->blocks_arrived, 1) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!last) return;
  constexpr int kWords = sizeof(StepHeader) / sizeof(int32_t);
  if (threadIdx.x < kWords) {
    reinterpret_cast<int32_t*>(&p.state->header)[threadIdx.x] = ReadHost(input, 0, threadIdx.x);
  }
  if (threadIdx.x == 0) {
    p.state->blocks_arrived = 0;
    p.state->steps = step + 1;
  }
}

struct PublishParams {
  const float4* rows;
  int64_t cols;
  StepState* state;
};

/// `rows` has 16-byte rows' bounds only in sum: what is left over the last float4 follows singly.
__global__ void PublishRowsKernel(PublishParams p) {
  WaitForPredecessor();
  const int64_t floats = p.state->header.sequences * p.cols;
  const int64_t stride = int64_t{gridDim.x} * kThreads;
  const int64_t thread = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  auto* out = reinterpret_cast<float4*>(p.state->header.rows);
  for (int64_t i = thread; i < floats / 4; i += stride) out[i] = p.rows[i];
  const int64_t tail = floats / 4 * 4 + thread;
  if (tail < floats) {
    p.state->header.rows[tail] = reinterpret_cast<const float*>(p.rows)[tail];
  }
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (atomicAdd(&p.state->blocks_arrived, 1) + 1 < gridDim.x) return;
  p.state->blocks_arrived = 0;
  __threadfence_system();
  *const_cast<volatile uint32_t*>(p.state->header.done) = p.state->header.done_value;
}

}  // namespace

StepLayout StepLayout::For(int64_t tokens_max, int64_t sequences_max) {
  StepLayout layout{.tokens_max = tokens_max, .sequences_max = sequences_max};
  int64_t end = (int64_t{sizeof(StepHeader)} + 63) / 64 * 64;
  const auto place = [&](int64_t count, int64_t size) {
    const int64_t begin = end;
    end += (count * size + 63) / 64 * 64;
    return begin;
  };
  layout.ids = place(tokens_max, sizeof(int32_t));
  layout.position_ids = place(tokens_max, sizeof(int32_t));
  layout.type_ids = place(tokens_max, sizeof(int32_t));
  layout.cu_seqlens = place(sequences_max + 1, sizeof(int32_t));
  layout.prompt_lengths = place(sequences_max, sizeof(int32_t));
  layout.normalize = place(sequences_max, sizeof(uint8_t));
  layout.bytes = end;
  return layout;
}

cudaError_t FetchStep(const Launch& launch, const StepRing& ring, int64_t tokens, int64_t sequences,
                      const StepArrays& arrays, StepState* state) {
  const FetchParams params{.ring = ring,
                           .tokens = static_cast<int32_t>(tokens),
                           .sequences = static_cast<int32_t>(sequences),
                           .arrays = arrays,
                           .state = state};
  const int64_t blocks =
      (tokens + kThreads - 1) / kThreads + (sequences + 1 + kThreads - 1) / kThreads;
  return LaunchKernel(launch, FetchStepKernel, dim3(static_cast<unsigned>(blocks)), kThreads,
                      /*shared_bytes=*/0, params);
}

cudaError_t PublishRows(const Launch& launch, Tensor rows, StepState* state) {
  constexpr int64_t kBlocksMax = 64;
  const int64_t blocks =
      std::clamp<int64_t>((rows.elements() / 4 + kThreads - 1) / kThreads, 1, kBlocksMax);
  const PublishParams params{
      .rows = static_cast<const float4*>(rows.data), .cols = rows.cols, .state = state};
  return LaunchKernel(launch, PublishRowsKernel, dim3(static_cast<unsigned>(blocks)), kThreads,
                      /*shared_bytes=*/0, params);
}

}  // namespace rose::kernels
