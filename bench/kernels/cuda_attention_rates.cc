// cuda_attention_rates: how fast each backend of ragged attention is, and the plan that it needs;
// cuDNN's, too, where it is found.
// One line a shape; µs of a launch inside a CUDA graph, and TFLOP/s of the pairs that are seen.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/kernels/cuda_attention_step.h"
#include "bench/kernels/graph_timer.h"
#include "rose/cuda/cudnn_attention.h"
#include "rose/kernels/attention.h"

namespace {

using bench::AttentionStep;
using bench::Check;
using rose::AttentionMask;
using rose::AttentionParams;
using rose::kernels::AttentionBackend;
using rose::kernels::Launch;

/// Of all shapes below.
constexpr int64_t kTokensMax = 1 << 16, kSequencesMax = 1 << 10;

struct Lengths {
  std::string name;
  std::vector<int32_t> lengths;
};

std::vector<Lengths> AllLengths() {
  std::vector<Lengths> all;
  for (const auto& [count, length] : {std::pair{1, 32},
                                      {1, 128},
                                      {1, 512},
                                      {16, 32},
                                      {5, 512},
                                      {32, 128},
                                      {200, 8},
                                      {25, 512},
                                      {100, 512},
                                      {1, 4096},
                                      {16, 1024}}) {
    all.push_back({fmt::format("{} x {}", count, length),
                   std::vector<int32_t>(static_cast<std::size_t>(count), length)});
  }
  std::minstd_rand random(1);
  Lengths mixed{.name = "64 of 8-1024", .lengths = std::vector<int32_t>(64)};
  for (int32_t& length : mixed.lengths) length = 8 + static_cast<int32_t>(random() % 1017);
  Lengths uneven{.name = "4096, 1000 of 16", .lengths = std::vector<int32_t>(1001, 16)};
  uneven.lengths[500] = 4096;
  all.insert(all.end(), {mixed, uneven});
  return all;
}

double Flops(const AttentionParams& params, const std::vector<int32_t>& lengths) {
  double pairs = 0;
  for (const double length : lengths) {
    pairs += params.mask == AttentionMask::kCausal ? length * (length + 1) / 2 : length * length;
  }
  return 4 * pairs * params.heads * params.head_dim;
}

struct Times {
  double attention = 0;  ///< µs
  double plan = 0;
};

Times Measure(bench::GraphTimer& timer, AttentionStep& step, AttentionBackend backend,
              int multiprocessors) {
  const int64_t bytes =
      rose::kernels::AttentionWorkspaceBytes(backend, step.params(), step.shape(), multiprocessors);
  void* workspace = nullptr;
  Check(cudaMalloc(&workspace, static_cast<std::size_t>(bytes)), "cudaMalloc");
  const auto plan = [&](const Launch& launch) {
    return rose::kernels::PlanAttention(launch, backend, step.params(), step.shape(), step.bounds(),
                                        multiprocessors, workspace);
  };
  const auto attention = [&](const Launch& launch) {
    return rose::kernels::Attention(launch, backend, step.params(), step.shape(), step.bounds(),
                                    workspace, step.qkv(), step.out());
  };
  Times times;
  times.plan = timer.Microseconds(plan);  // Leaves the plan that the other needs.
  times.attention = timer.Microseconds(attention);
  Check(cudaFree(workspace), "cudaFree");
  return times;
}

/// Offsets are what cuDNN has for a plan.
Times Measure(bench::GraphTimer& timer, AttentionStep& step, rose::cuda::CudnnAttention& cudnn) {
  const auto attention = [&](const Launch& launch) {
    const absl::Status queued =
        cudnn.Run(launch, step.params(), step.bounds(), step.qkv(), step.out());
    if (!queued.ok()) fmt::print(stderr, "{}\n", std::string(queued.message()));
    return queued.ok() ? cudaSuccess : cudaErrorUnknown;
  };
  const auto with_offsets = [&](const Launch& launch) {
    cudnn.BeginStep(step.shape());
    return attention(launch);
  };
  const double both = timer.Microseconds(with_offsets);
  Times times;
  times.attention = timer.Microseconds(attention);  // The offsets are there from before.
  times.plan = both - times.attention;
  return times;
}

void Print(const Times& times, double flops) {
  fmt::print(" | {:>7.1f} {:>4.0f} {:>5.1f}", times.attention, flops / times.attention * 1e-6,
             times.plan);
  std::fflush(stdout);
}

struct Column {
  const char* name;
  AttentionBackend backend;
  int64_t longest;    ///< The hint given, or 0: the longest. It chooses kFa2's tiles.
  int64_t slots = 0;  ///< Of sequences at least.
};

constexpr Column kColumns[] = {
    {"simple", AttentionBackend::kSimple, 0},
    {"fa2 16 rows", AttentionBackend::kFa2, 1},
    {"fa2 64 rows", AttentionBackend::kFa2, 32},
    {"fa2 128 rows", AttentionBackend::kFa2, 1 << 20},
    {"fa3", AttentionBackend::kFa3, 0},
    {"simple, 256 slots", AttentionBackend::kSimple, 0, 256},
    {"fa2, 256 slots", AttentionBackend::kFa2, 0, 256},
    {"fa3, 256 slots", AttentionBackend::kFa3, 0, 256},
};

/// Whether cuDNN is to be measured for this.
bool Takes(const rose::cuda::CudnnAttention* cudnn, const AttentionParams& params) {
  return cudnn != nullptr &&
         cudnn->Supports(params, rose::DType::kBFloat16, {.tokens = kTokensMax});
}

void PrintShape(bench::GraphTimer& timer, const AttentionParams& params, const Lengths& lengths,
                int sm, int multiprocessors, rose::cuda::CudnnAttention* cudnn) {
  const double flops = Flops(params, lengths.lengths);
  fmt::print("{:<18}", lengths.name);
  for (const Column& column : kColumns) {
    const auto slots = std::max(static_cast<int64_t>(lengths.lengths.size()), column.slots);
    if (!Supports(column.backend, params, rose::DType::kBFloat16, sm)) continue;
    AttentionStep step(params, lengths.lengths, slots);
    if (column.longest != 0) step.shape().longest = column.longest;
    Print(Measure(timer, step, column.backend, multiprocessors), flops);
  }
  if (Takes(cudnn, params)) {
    AttentionStep step(params, lengths.lengths, static_cast<int64_t>(lengths.lengths.size()));
    Print(Measure(timer, step, *cudnn), flops);
  }
  fmt::print("\n");
}

}  // namespace

int main() {
  int sm_major = 0, sm_minor = 0, multiprocessors = 0;
  Check(cudaDeviceGetAttribute(&sm_major, cudaDevAttrComputeCapabilityMajor, 0), "no GPU");
  Check(cudaDeviceGetAttribute(&sm_minor, cudaDevAttrComputeCapabilityMinor, 0), "no GPU");
  Check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "no GPU");
  const int sm = 10 * sm_major + sm_minor;
  bench::GraphTimer timer;
  auto found =
      rose::cuda::CudnnAttention::Create({.tokens = kTokensMax, .sequences = kSequencesMax});
  if (!found.ok()) fmt::print("no cuDNN: {}\n", std::string(found.status().message()));
  const std::unique_ptr<rose::cuda::CudnnAttention> cudnn =
      found.ok() ? *std::move(found) : nullptr;
  const auto params = [](int heads, int kv_heads, int head_dim, AttentionMask mask) {
    return AttentionParams{.heads = heads,
                           .kv_heads = kv_heads,
                           .head_dim = head_dim,
                           .scale = 1 / std::sqrt(static_cast<float>(head_dim)),
                           .mask = mask};
  };
  for (const AttentionParams& p :
       {params(16, 8, 128, AttentionMask::kCausal), params(16, 8, 128, AttentionMask::kFull),
        params(16, 16, 64, AttentionMask::kFull), params(12, 12, 32, AttentionMask::kFull)}) {
    fmt::print("\n{}/{} heads of {}, {}: µs, TFLOP/s, µs of the plan\n{:<18}", p.heads, p.kv_heads,
               p.head_dim, p.mask == AttentionMask::kCausal ? "causal" : "full", "");
    for (const Column& column : kColumns) {
      if (!Supports(column.backend, p, rose::DType::kBFloat16, sm)) continue;
      fmt::print(" | {:>18}", column.name);
    }
    fmt::print("{}\n", Takes(cudnn.get(), p) ? fmt::format(" | {:>18}", "cudnn") : "");
    for (const Lengths& lengths : AllLengths()) {
      PrintShape(timer, p, lengths, sm, multiprocessors, cudnn.get());
    }
  }
  return 0;
}
