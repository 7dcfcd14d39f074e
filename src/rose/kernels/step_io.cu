#include <algorithm>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/step_io.h"

namespace rose::kernels {
namespace {

constexpr int kThreads = 256;
static_assert(kFetchedBytesMax / sizeof(int4) <= 1024, "one block reads an input");

struct FetchParams {
  StepInputs inputs;
  StepLayout layout;  ///< Of an input.
  int32_t tokens;
  int32_t sequences;
  StepArrays arrays;
  StepState* state;
};

template <typename T>
__device__ const T* In(const char* input, int64_t offset) {
  return reinterpret_cast<const T*>(input + offset);
}

template <typename T>
__device__ T* Out(const StepArrays& arrays, int64_t offset) {
  return reinterpret_cast<T*>(static_cast<char*>(arrays.data) + offset);
}

/// The whole input into shared memory, past every cache: the host writes there again and again. One
/// read a thread, all under way at once, since each takes a microsecond over the bus.
__device__ const char* Stage(const char* input, int64_t bytes) {
  extern __shared__ int4 staged[];
  if (threadIdx.x < bytes / int64_t{sizeof(int4)}) {
    staged[threadIdx.x] = __ldcv(reinterpret_cast<const int4*>(input) + threadIdx.x);
  }
  __syncthreads();
  return reinterpret_cast<const char*>(staged);
}

/// The first token of the sequence that holds token i: the last bound that is at most i.
__device__ int32_t SequenceBegin(const int32_t* cu_seqlens, int32_t sequences, int32_t i) {
  int32_t low = 0, high = sequences;  // cu_seqlens[low] <= i < cu_seqlens[high].
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    (cu_seqlens[middle] <= i ? low : high) = middle;
  }
  return cu_seqlens[low];
}

__device__ void FetchToken(const FetchParams& p, const char* input, int32_t i) {
  const auto& header = *In<StepHeader>(input, 0);
  const bool used = i < header.tokens;
  const int32_t* cu_seqlens = In<int32_t>(input, p.layout.cu_seqlens);
  const StepLayout& out = p.arrays.layout;
  Out<int32_t>(p.arrays, out.ids)[i] = used ? In<int32_t>(input, p.layout.ids)[i] : 0;
  Out<int32_t>(p.arrays, out.position_ids)[i] =
      used ? i - SequenceBegin(cu_seqlens, header.sequences, i) : 0;
  Out<int32_t>(p.arrays, out.type_ids)[i] =
      used && header.has_types != 0 ? In<int32_t>(input, p.layout.type_ids)[i] : 0;
}

/// There is one bound more than there are sequences.
__device__ void FetchSequence(const FetchParams& p, const char* input, int32_t s) {
  const auto& header = *In<StepHeader>(input, 0);
  const bool used = s < header.sequences;
  const StepLayout& out = p.arrays.layout;
  Out<int32_t>(p.arrays, out.cu_seqlens)[s] =
      used ? In<int32_t>(input, p.layout.cu_seqlens)[s] : header.tokens;
  if (s == p.sequences) return;
  Out<int32_t>(p.arrays, out.prompt_lengths)[s] =
      used && header.has_prompts != 0 ? In<int32_t>(input, p.layout.prompt_lengths)[s] : 0;
  Out<uint8_t>(p.arrays, out.normalize)[s] =
      used ? In<uint8_t>(input, p.layout.normalize)[s] : uint8_t{0};
}

/// The last block to end counts the step: until then every block must find the same one.
__global__ void FetchStepKernel(FetchParams p) {
  WaitForPredecessor();
  const uint32_t step = *const_cast<const volatile uint32_t*>(&p.state->steps);
  const char* input = static_cast<const char*>(p.inputs.data) +
                      static_cast<int64_t>(step % p.inputs.places) * p.inputs.place_bytes;
  if (p.inputs.on_host) input = Stage(input, p.layout.input_bytes);
  const auto stride = static_cast<int32_t>(gridDim.x * blockDim.x);
  const auto thread = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int32_t i = thread; i < p.tokens; i += stride) FetchToken(p, input, i);
  for (int32_t s = thread; s <= p.sequences; s += stride) FetchSequence(p, input, s);
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&p.state->blocks_arrived, 1) + 1 < gridDim.x) return;
  p.state->header = *In<StepHeader>(input, 0);
  p.state->blocks_arrived = 0;
  p.state->steps = step + 1;
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

StepLayout StepLayout::For(int64_t tokens, int64_t sequences) {
  StepLayout layout;
  int64_t end = (int64_t{sizeof(StepHeader)} + 63) / 64 * 64;
  const auto place = [&](int64_t count, int64_t size) {
    const int64_t begin = end;
    end += (count * size + 63) / 64 * 64;
    return begin;
  };
  layout.cu_seqlens = place(sequences + 1, sizeof(int32_t));
  layout.prompt_lengths = place(sequences, sizeof(int32_t));
  layout.normalize = place(sequences, sizeof(uint8_t));
  layout.ids = place(tokens, sizeof(int32_t));
  layout.type_ids = place(tokens, sizeof(int32_t));
  layout.input_bytes = end;
  layout.position_ids = place(tokens, sizeof(int32_t));
  layout.bytes = end;
  return layout;
}

cudaError_t FetchStep(const Launch& launch, const StepInputs& inputs, int64_t tokens,
                      int64_t sequences, const StepArrays& arrays, StepState* state) {
  const FetchParams params{.inputs = inputs,
                           .layout = StepLayout::For(tokens, sequences),
                           .tokens = static_cast<int32_t>(tokens),
                           .sequences = static_cast<int32_t>(sequences),
                           .arrays = arrays,
                           .state = state};
  if (inputs.on_host) {
    const int64_t bytes = params.layout.input_bytes;
    if (bytes > kFetchedBytesMax) return cudaErrorInvalidValue;
    const int64_t threads = (bytes / int64_t{sizeof(int4)} + 31) / 32 * 32;
    return LaunchKernel(launch, FetchStepKernel, dim3(1), dim3(static_cast<unsigned>(threads)),
                        static_cast<std::size_t>(bytes), params);
  }
  const int64_t blocks = (std::max(tokens, sequences + 1) + kThreads - 1) / kThreads;
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
