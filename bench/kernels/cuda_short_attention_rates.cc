// cuda_short_attention_rates: attention of few tokens, from the heads as their product wrote them:
// what HeadNormRope and the best of the other backends take, and ShortAttention, with each size of
// its blocks. µs of a pass inside a CUDA graph, plain and with programmatic edges.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/kernels/cuda_attention_step.h"
#include "bench/kernels/graph_timer.h"
#include "rose/kernels/attention.h"
#include "rose/kernels/head_norm_rope.h"
#include "rose/kernels/short_attention.h"

namespace {

using bench::AttentionStep;
using bench::Check;
using rose::AttentionMask;
using rose::AttentionParams;
using rose::HeadNormRopeParams;
using rose::kernels::AttentionBackend;
using rose::kernels::Launch;

constexpr int64_t kTokensMax = 1024;

/// The weights of a layer's heads on the device: norms of ones, nothing turned far.
HeadNormRopeParams UploadHeads(const AttentionParams& params) {
  const int head_dim = params.head_dim;
  const std::vector<float> ones(static_cast<std::size_t>(kTokensMax * head_dim), 0.7F);
  const std::vector<int32_t> positions(kTokensMax, 3);
  const auto vector = [&](int64_t rows) {
    return rose::Tensor{bench::Upload(ones.data(), ones.size() * sizeof ones[0]),
                        rose::DType::kFloat32, rows, head_dim};
  };
  const auto norm = [&] {
    return rose::NormParams{.kind = rose::NormKind::kRms, .weight = vector(1), .epsilon = 1e-6F};
  };
  return {.q_norm = norm(),
          .k_norm = norm(),
          .rope = {.table = vector(kTokensMax), .head_dim = head_dim, .rotary_dim = head_dim},
          .position_ids = {static_cast<const int32_t*>(bench::Upload(
                               positions.data(), positions.size() * sizeof positions[0])),
                           positions.size()},
          .heads = params.heads,
          .kv_heads = params.key_value_heads()};
}

class ShortRates {
 public:
  ShortRates(int sm, int multiprocessors) : sm_(sm), multiprocessors_(multiprocessors) {}

  void Print(const AttentionParams& params, bool normed, const std::vector<int32_t>& lengths) {
    AttentionStep step(params, lengths, static_cast<int64_t>(lengths.size()));
    const HeadNormRopeParams heads = normed ? UploadHeads(params) : HeadNormRopeParams{};
    fmt::print("{:<10}", fmt::format("{} x {}", lengths.size(), lengths[0]));
    PrintOther(step, heads);
    const int chosen = ShortAttentionRows(params, step.shape());
    for (const int rows : {16, 32, 64}) {
      PrintPair(rows == chosen ? "*" : "", [&](const Launch& launch) {
        return ShortAttention(launch, params, heads, step.shape(), step.bounds(), step.qkv(),
                              step.out(), rows);
      });
    }
    fmt::print("\n");
  }

 private:
  template <typename Enqueue>
  void PrintPair(const char* mark, const Enqueue& enqueue) {
    const double plain = timer_.Microseconds(enqueue);
    const double overlapped = timer_.Microseconds([&](Launch launch) {
      launch.overlap = true;
      return enqueue(launch);
    });
    fmt::print(" | {:>6.2f} {:>6.2f}{:<1}", plain, overlapped, mark);
    std::fflush(stdout);
  }

  void PrintOther(AttentionStep& step, const HeadNormRopeParams& heads) {
    const AttentionParams& params = step.params();
    const AttentionBackend backend =
        ChooseAttention(params, rose::DType::kBFloat16, step.shape(), sm_);
    void* workspace = nullptr;
    Check(cudaMalloc(&workspace, static_cast<std::size_t>(AttentionWorkspaceBytes(
                                     backend, params, step.shape(), multiprocessors_))),
          "cudaMalloc");
    Check(PlanAttention({}, backend, params, step.shape(), step.bounds(), multiprocessors_,
                        workspace),
          "the plan");
    Check(cudaDeviceSynchronize(), "the plan");
    PrintPair("", [&](const Launch& launch) {
      if (!heads.position_ids.empty()) {
        const cudaError_t error = HeadNormRope(launch, heads, step.qkv());
        if (error != cudaSuccess) return error;
      }
      return Attention(launch, backend, params, step.shape(), step.bounds(), workspace, step.qkv(),
                       step.out());
    });
    Check(cudaFree(workspace), "cudaFree");
  }

  int sm_;
  int multiprocessors_;
  bench::GraphTimer timer_;
};

struct Kind {
  const char* name;
  int heads;
  int kv_heads;
  int head_dim;
  AttentionMask mask;
  bool normed;
};

constexpr Kind kKinds[] = {
    {"16/8 heads of 128, causal, normed and turned", 16, 8, 128, AttentionMask::kCausal, true},
    {"16/8 heads of 128, full, normed and turned", 16, 8, 128, AttentionMask::kFull, true},
    {"16/8 heads of 128, causal", 16, 8, 128, AttentionMask::kCausal, false},
    {"16/16 heads of 64, full", 16, 16, 64, AttentionMask::kFull, false},
    {"12/12 heads of 64, full", 12, 12, 64, AttentionMask::kFull, false}};

}  // namespace

int main() {
  int sm_major = 0, sm_minor = 0, multiprocessors = 0;
  Check(cudaDeviceGetAttribute(&sm_major, cudaDevAttrComputeCapabilityMajor, 0), "no GPU");
  Check(cudaDeviceGetAttribute(&sm_minor, cudaDevAttrComputeCapabilityMinor, 0), "no GPU");
  Check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "no GPU");
  ShortRates rates(10 * sm_major + sm_minor, multiprocessors);
  for (const Kind& kind : kKinds) {
    fmt::print("\n{}: µs, plain and overlapped; * is chosen\n{:<10}", kind.name, "");
    for (const char* column : {"others", "short, 16", "short, 32", "short, 64"}) {
      fmt::print(" | {:>14}", column);
    }
    fmt::print("\n");
    const AttentionParams params{.heads = kind.heads,
                                 .kv_heads = kind.kv_heads,
                                 .head_dim = kind.head_dim,
                                 .scale = 1 / std::sqrt(static_cast<float>(kind.head_dim)),
                                 .mask = kind.mask};
    for (const auto& [count, length] : {std::pair{1, 8},
                                        {1, 32},
                                        {1, 64},
                                        {1, 128},
                                        {1, 200},
                                        {1, 256},
                                        {1, 512},
                                        {4, 32},
                                        {4, 128},
                                        {16, 32},
                                        {32, 32}}) {
      rates.Print(params, kind.normed,
                  std::vector<int32_t>(static_cast<std::size_t>(count), length));
    }
  }
  return 0;
}
