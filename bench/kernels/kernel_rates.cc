// Times the CPU's kernels alone, on one thread, for the shapes of real models, and prints a line
// for each: its rate and what share that is of what it can be held against (products: of FMAs
// alone, and of oneDNN; the others: of copying as many bytes).
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "bench/kernels/attention_pairs.h"
#include "bench/kernels/bench.h"
#include "bench/kernels/onednn_matmul.h"
#include "common/check.h"
#include "rose/cpu/cpu_backend.h"

namespace bench {
namespace {

using rose::AttentionMask;
using rose::AttentionParams;
using rose::DType;
using rose::Tensor;

constexpr int64_t kPositions = 8192;

struct Options {
  std::string isa = "auto";
  bool bfloat16 = false;
  std::vector<std::string> kernels;  ///< None: all.
};

/// Seconds of oneDNN alone, the better of the whole product and of narrow ones: into wide rows it
/// may be slow.
double OneDnnSeconds(DType dtype, int64_t rows, int64_t k, int64_t n) {
  constexpr int64_t kNarrow = 256;
  double best = 1e9;
  for (const int64_t parts : {int64_t{1}, n % kNarrow == 0 ? n / kNarrow : 1}) {
    const auto product = OneDnnMatmul::Create(dtype, rows, k, n, parts);
    best = std::min(best, BestSeconds([&] { product->Run(); }));
  }
  return best;
}

void TimeLinear(Bench& bench) {
  struct Shape {
    const char* of;
    int64_t k, n;
    bool activated = false;
  };
  const Shape shapes[] = {{"MiniLM qkv", 384, 1152},       {"MiniLM up", 384, 1536, true},
                          {"MiniLM down", 1536, 384},      {"base qkv", 768, 2304},
                          {"base up", 768, 3072, true},    {"base down", 3072, 768},
                          {"Qwen3-0.6B qkv", 1024, 4096},  {"Qwen3-0.6B out", 2048, 1024},
                          {"Qwen3-0.6B gate", 1024, 6144}, {"Qwen3-0.6B down", 3072, 1024}};
  for (const auto& [of, k, n, activated] : shapes) {
    const std::vector<float> weight = bench.Values(n * k);
    const auto* linear = bench.backend().MakeLinear(weight, bench.Values(n), n, k);
    for (const int64_t rows : {1, 16, 128, 512}) {
      const rose::ScratchScope scope(bench.ops());
      const Tensor x = bench.Filled(rows, k), out = bench.Filled(rows, n);
      const double seconds = BestSeconds([&] { bench.ops().Linear(*linear, x, out); });
      const auto operations = 2.0 * static_cast<double>(rows * k * n);
      bench.PrintProduct(fmt::format("linear, {}: {} x {} x {}", of, rows, k, n), operations,
                         seconds, OneDnnSeconds(bench.dtype(), rows, k, n));
      if (!activated) continue;
      bench.PrintProduct(fmt::format("linear, {} and GELU: {} x {} x {}", of, rows, k, n),
                         operations, BestSeconds([&] {
                           bench.ops().LinearActivate(*linear, rose::Activation::kGelu, x, out);
                         }));
    }
  }
}

void TimeAttention(Bench& bench) {
  struct Shape {
    const char* of;
    AttentionParams params;
    int32_t sequences, tokens;
    bool biased = false;
  };
  const AttentionParams mini{.heads = 12, .head_dim = 32}, base{.heads = 12, .head_dim = 64};
  AttentionParams local = base;
  local.window = 64;
  const AttentionParams qwen{
      .heads = 16, .kv_heads = 8, .head_dim = 128, .mask = AttentionMask::kCausal};
  const Shape shapes[] = {{"MiniLM", mini, 32, 8},
                          {"MiniLM", mini, 1, 128},
                          {"MiniLM", mini, 1, 512},
                          {"base", base, 32, 16},
                          {"base", base, 1, 17},
                          {"base", base, 1, 128},
                          {"base", base, 1, 512},
                          {"MPNet", base, 1, 128, true},
                          {"MPNet", base, 1, 512, true},
                          {"ModernBERT", base, 1, 4096},
                          {"ModernBERT local", local, 1, 4096},
                          {"Qwen3-0.6B", qwen, 32, 16},
                          {"Qwen3-0.6B", qwen, 1, 128},
                          {"Qwen3-0.6B", qwen, 1, 512},
                          {"Qwen3-0.6B", qwen, 1, 4096}};
  for (const Shape& shape : shapes) {
    const rose::ScratchScope scope(bench.ops());
    AttentionParams params = shape.params;
    params.scale = 1 / std::sqrt(static_cast<float>(params.head_dim));
    if (shape.biased) {
      params.position_bias = bench.Filled(params.heads, 2 * kPositions - 1, DType::kFloat32);
    }
    std::vector<int32_t> cu_seqlens = {0};
    for (int32_t s = 0; s < shape.sequences; ++s) cu_seqlens.push_back((s + 1) * shape.tokens);
    const int64_t rows = cu_seqlens.back();
    const Tensor qkv = bench.Filled(rows, params.qkv_cols());
    const Tensor out = bench.Filled(rows, int64_t{params.heads} * params.head_dim);
    const double seconds = BestSeconds(
        [&] { bench.ops().Attention(params, qkv, rose::BatchShape::OfHost(cu_seqlens), out); });
    bench.PrintProduct(
        fmt::format("attention, {}: {} x {} tokens", shape.of, shape.sequences, shape.tokens),
        4.0 *
            static_cast<double>(AttentionPairs(params, shape.tokens) * shape.sequences * out.cols),
        seconds);
  }
}

rose::NormParams MakeNorm(Bench& bench, rose::NormKind kind, int64_t cols) {
  return {.kind = kind,
          .weight = bench.backend().MakeVector(bench.Values(cols)),
          .bias = kind == rose::NormKind::kLayer ? bench.backend().MakeVector(bench.Values(cols))
                                                 : Tensor{},
          .epsilon = 1e-6f};
}

void TimeNorm(Bench& bench) {
  constexpr int64_t kRows = 512;
  for (const int64_t cols : {384, 768, 1024}) {
    const rose::ScratchScope scope(bench.ops());
    const Tensor x = bench.Filled(kRows, cols), y = bench.Filled(kRows, cols);
    const Tensor out = bench.Filled(kRows, cols);
    for (const auto kind : {rose::NormKind::kLayer, rose::NormKind::kRms}) {
      const rose::NormParams norm = MakeNorm(bench, kind, cols);
      const char* name = kind == rose::NormKind::kLayer ? "layer" : "RMS";
      bench.PrintRows(fmt::format("norm, {}: {} x {}", name, kRows, cols), 2 * x.bytes(),
                      [&] { bench.ops().Norm(norm, x, out); });
      bench.PrintRows(fmt::format("norm, {} of a sum: {} x {}", name, kRows, cols), 3 * x.bytes(),
                      [&] { bench.ops().AddNorm(norm, x, y, out); });
      bench.PrintRows(fmt::format("norm, {} of a residual: {} x {}", name, kRows, cols),
                      4 * x.bytes(), [&] { bench.ops().ResidualNorm(norm, y, x, out); });
    }
  }
}

void TimeRope(Bench& bench) {
  constexpr int64_t kRows = 512;
  struct Shape {
    const char* of;
    int64_t heads, kv_heads;
    int head_dim;
  };
  const Shape shapes[] = {{"ModernBERT", 12, 12, 64}, {"Qwen3-0.6B", 16, 8, 128}};
  std::vector<int32_t> positions(kRows);
  std::iota(positions.begin(), positions.end(), 0);
  for (const Shape& shape : shapes) {
    const rose::ScratchScope scope(bench.ops());
    const rose::RopeParams rope{.table = bench.Filled(kRows, shape.head_dim, DType::kFloat32),
                                .head_dim = shape.head_dim,
                                .rotary_dim = shape.head_dim};
    const int64_t turned = shape.heads + shape.kv_heads;
    const Tensor qkv = bench.Filled(kRows, (turned + shape.kv_heads) * shape.head_dim);
    const int64_t bytes = 2 * qkv.bytes() / (turned + shape.kv_heads) * turned;
    const std::string sizes =
        fmt::format("{}: {} x {} of {}", shape.of, kRows, turned, shape.head_dim);
    bench.PrintRows("rope, " + sizes, bytes,
                    [&] { bench.ops().Rope(rope, positions, turned, qkv); });
    const rose::NormParams norm = MakeNorm(bench, rose::NormKind::kRms, shape.head_dim);
    bench.PrintRows("norm and rope, " + sizes, bytes, [&] {
      bench.ops().HeadNormRope({norm, norm, rope, positions, shape.heads, shape.kv_heads}, qkv);
    });
  }
}

void TimeGate(Bench& bench) {
  constexpr int64_t kRows = 512;
  struct Shape {
    const char* of;
    rose::Activation activation;
    int64_t cols;
  };
  const Shape shapes[] = {{"GELU", rose::Activation::kGelu, 1152},
                          {"SiLU", rose::Activation::kSilu, 3072},
                          {"tanh GELU", rose::Activation::kGeluTanh, 1152},
                          {"log1p of ReLU", rose::Activation::kLog1pRelu, 30522}};
  for (const auto& [of, activation, cols] : shapes) {
    const rose::ScratchScope scope(bench.ops());
    const Tensor x = bench.Filled(kRows, 2 * cols), out = bench.Filled(kRows, cols);
    bench.PrintRows(fmt::format("gate, {}: {} x {}", of, kRows, cols), 3 * out.bytes(),
                    [&, act = activation] { bench.ops().Gate(act, x, out); });
    bench.PrintRows(fmt::format("activation, {}: {} x {}", of, kRows, cols), 2 * out.bytes(),
                    [&, act = activation] { bench.ops().Activate(act, out); });
  }
}

void TimePool(Bench& bench) {
  struct Shape {
    const char* of;
    rose::PoolingMode mode;
    int32_t tokens;
    int64_t cols;
  };
  const Shape shapes[] = {{"mean", rose::PoolingMode::kMean, 512, 384},
                          {"mean", rose::PoolingMode::kMean, 512, 1024},
                          {"max, SPLADE", rose::PoolingMode::kMax, 128, 30522}};
  for (const auto& [of, mode, tokens, cols] : shapes) {
    const rose::ScratchScope scope(bench.ops());
    const Tensor x = bench.Filled(tokens, cols), out = bench.Filled(1, cols, DType::kFloat32);
    const std::vector<int32_t> cu_seqlens = {0, tokens};
    bench.PrintRows(fmt::format("pool, {}: {} x {}", of, tokens, cols), x.bytes(), [&, m = mode] {
      bench.ops().Pool(m, x, rose::BatchShape::OfHost(cu_seqlens), {}, 0, out);
    });
  }
}

struct Kernel {
  const char* name;
  void (*time)(Bench& bench);
};
constexpr Kernel kKernels[] = {{"linear", TimeLinear}, {"attention", TimeAttention},
                               {"norm", TimeNorm},     {"rope", TimeRope},
                               {"gate", TimeGate},     {"pool", TimePool}};

absl::Status Run(const Options& options) {
  ASSIGN_OR_RETURN(const rose::cpu::Isa processor, rose::cpu::DetectIsa());
  ASSIGN_OR_RETURN(const rose::cpu::Isa isa, rose::cpu::ParseIsa(options.isa, processor));
  const DType dtype = options.bfloat16 ? DType::kBFloat16 : DType::kFloat32;
  RETURN_IF_ERROR(OneDnnMatmul::Cap(isa, dtype));
  omp_set_num_threads(1);  // oneDNN's.
  Bench bench(isa, dtype);
  fmt::print("{}, {}, one thread; FMAs alone: {:.1f} GFLOP/s\n", rose::cpu::IsaName(isa),
             rose::DTypeName(dtype), bench.peak());
  for (const Kernel& kernel : kKernels) {
    if (!options.kernels.empty() && std::find(options.kernels.begin(), options.kernels.end(),
                                              kernel.name) == options.kernels.end()) {
      continue;
    }
    kernel.time(bench);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app{"Rates of the CPU's kernels"};
  app.add_option("--isa", options.isa, "auto, avx2, avx512, avx512_bf16 or amx");
  app.add_flag("--bfloat16", options.bfloat16, "activations and weights (avx512_bf16 and above)");
  app.add_option("kernels", options.kernels,
                 "linear, attention, norm, rope, gate, pool; default: all")
      ->check(CLI::IsMember({"linear", "attention", "norm", "rope", "gate", "pool"}));
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = bench::Run(options);
  if (status.ok()) return 0;
  fmt::print(stderr, "kernel_rates: {}\n", std::string(status.message()));
  return 1;
}
