// Times products of many tokens with what follows them: ours, with every plan, beside cuBLASLt's
// first and fastest candidates followed by a kernel of its own. Few tokens in one CUDA graph, each
// product behind a norm of its input, as in a model, kernels overlapping where they can; many back
// to back, long enough for the clocks of sustained work.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/kernels/cublaslt_product.h"
#include "bench/kernels/graph_timer.h"
#include "bench/kernels/rate_table.h"
#include "rose/kernels/activate.h"
#include "rose/kernels/norm.h"
#include "rose/kernels/tile_product.h"

namespace bench {
namespace {

using rose::Activation;
using rose::Tensor;
using rose::kernels::Launch;
using rose::kernels::TileProductForm;
using rose::kernels::TileProductPlan;

struct Product {
  const char* name;
  TileProductForm form;
  int64_t out_features;
  int64_t in_features;
  std::optional<Activation> activation = std::nullopt;
  bool bias = false;

  int64_t out_cols() const {
    return form == TileProductForm::kGate ? out_features / 2 : out_features;
  }
};

constexpr Product kProducts[] = {
    {"qwen gate-up", TileProductForm::kGate, 6144, 1024, Activation::kSilu},
    {"xlmr up", TileProductForm::kLinear, 4096, 1024, Activation::kGelu, true},
    {"qwen qkv", TileProductForm::kLinear, 4096, 1024},
    {"xlmr qkv", TileProductForm::kLinear, 3072, 1024, {}, true},
    {"bert up", TileProductForm::kLinear, 3072, 768, Activation::kGelu, true},
    {"modern gate", TileProductForm::kGate, 2304, 768, Activation::kGelu},
};

/// Weights of so many layers come from device memory, not from a cache.
constexpr int kLayers = 24;
constexpr int64_t kColsMax = 1024;
constexpr int64_t kTokensMax = 51200;
constexpr int64_t kSteadyTokens = 2048;

class Bench {
 public:
  explicit Bench(const CublasLt* library) : library_(library) {
    Check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    Check(cudaEventCreate(&begin_));
    Check(cudaEventCreate(&end_));
  }

  void Measure(const Product& product, int64_t tokens, bool every_plan) {
    const double flop = 2.0 * static_cast<double>(tokens * product.out_features) *
                        static_cast<double>(product.in_features);
    fmt::print("{:<13}{:>6}", product.name, tokens);
    double theirs = 0;
    if (library_ != nullptr) {
      const auto [first, best] = Library(product, tokens);
      theirs = best;
      fmt::print("  library {:8.2f} µs, best {:8.2f} ({:3.0f})", first, best, flop / best * 1e-6);
    }
    double best = 1e9;
    TileProductPlan best_plan;
    std::string all;
    for (const TileProductPlan& plan : rose::kernels::TileProductPlans()) {
      const double us = Own(product, tokens, plan);
      if (us < best) best = us, best_plan = plan;
      all += fmt::format(" {}={:.2f}", Text(plan), us);
    }
    fmt::print("  ours {:8.2f} ({:3.0f}) {:<13} {:+.0f} %\n", best, flop / best * 1e-6,
               Text(best_plan), theirs > 0 ? 100 * (best / theirs - 1) : 0);
    if (every_plan) fmt::print("   {}\n", all);
    std::fflush(stdout);
  }

 private:
  static std::string Text(const TileProductPlan& plan) {
    return fmt::format("{}{}", plan.cols, plan.ping_pong ? " ping-pong" : "");
  }

  Tensor X(const Product& product, int64_t tokens) const {
    return memory_.At(0, tokens, product.in_features);
  }
  Tensor Out(const Product& product, int64_t tokens) const {
    return memory_.At(1, tokens, product.out_cols());
  }
  Tensor Weight(const Product& product, int layer) const {
    return memory_.At(2, product.out_features * kLayers, product.in_features)
        .Rows(product.out_features * layer, product.out_features);
  }
  Tensor Bias(const Product& product) const {
    return product.bias ? memory_.At(2, 1, product.out_features) : Tensor{};
  }

  /// µs of enqueue(launch, layer).
  template <typename Enqueue>
  double Time(const Product& product, int64_t tokens, const Enqueue& enqueue) {
    if (tokens < kSteadyTokens) {
      const Tensor x = X(product, tokens);
      return GraphTimer().Microseconds(
                 [&](Launch launch) {
                   launch.overlap = true;
                   cudaError_t error = cudaSuccess;
                   for (int layer = 0; layer < kLayers && error == cudaSuccess; ++layer) {
                     error = Norm(launch, norm_, x, x);
                     if (error == cudaSuccess) error = enqueue(launch, layer);
                   }
                   return error;
                 },
                 1) /
             kLayers;
    }
    const auto run = [&](int count) {
      Check(cudaEventRecord(begin_, stream_));
      for (int i = 0; i < count; ++i) {
        Check(enqueue(Launch{.stream = stream_, .overlap = true}, i % kLayers));
      }
      Check(cudaEventRecord(end_, stream_));
      Check(cudaEventSynchronize(end_));
      float milliseconds = 0;
      Check(cudaEventElapsedTime(&milliseconds, begin_, end_));
      return 1e3 * milliseconds / count;
    };
    const double once = run(4);
    run(static_cast<int>(kWarmUp / once) + 1);
    return run(static_cast<int>(kTimed / once) + 1);
  }

  /// Of the library's first candidate and of its fastest.
  std::pair<double, double> Library(const Product& product, int64_t tokens) {
    const bool activates = product.activation.has_value();
    const bool gated = product.form == TileProductForm::kGate;
    const LibraryProduct theirs(
        *library_, product.out_features, product.in_features, tokens,
        {.bias = activates ? nullptr : Bias(product).data, .adds_out = false});
    const Tensor to = gated ? memory_.At(3, tokens, product.out_features) : Out(product, tokens);
    std::vector<double> times;
    for (int candidate = 0; candidate < theirs.candidates(); ++candidate) {
      times.push_back(Time(product, tokens, [&](const Launch& launch, int layer) {
        if (!theirs.Run(candidate, Weight(product, layer).data, X(product, tokens).data, to.data,
                        launch.stream)) {
          return cudaErrorUnknown;
        }
        if (gated) return Gate(launch, *product.activation, to, Out(product, tokens));
        if (activates) return Activate(launch, *product.activation, Bias(product), to);
        return cudaSuccess;
      }));
    }
    return {times.front(), *std::min_element(times.begin(), times.end())};
  }

  double Own(const Product& product, int64_t tokens, const TileProductPlan& plan) {
    const Tensor out = Out(product, tokens);
    return Time(product, tokens, [&](const Launch& launch, int layer) {
      return TileProduct(
          launch, plan, X(product, tokens), Weight(product, layer),
          {.form = product.form, .activation = product.activation, .bias = Bias(product)}, out);
    });
  }

  static constexpr double kWarmUp = 10000;  ///< µs
  static constexpr double kTimed = 40000;   ///< µs

  const CublasLt* library_;
  DeviceMemory memory_{kTokensMax * 6144 * 2};
  const rose::NormParams norm_ = {.kind = rose::NormKind::kRms,
                                  .weight = memory_.Vector(std::vector<float>(kColsMax, 1)),
                                  .epsilon = 1e-6f};
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

int Main(int argc, char** argv) {
  CLI::App app("Products for many tokens: ours and cuBLASLt's");
  std::vector<int64_t> tokens = {256, 512, 1024, 4096, 12800, 51200};
  std::string only;
  bool every_plan = false;
  app.add_option("--tokens", tokens, "Up to 51200");
  app.add_option("--product", only, "Only products whose name contains this");
  app.add_flag("--plans", every_plan, "Print every plan's time");
  CLI11_PARSE(app, argc, argv);
  cudaDeviceProp device = {};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || device.major != 9) {
    fmt::print("no GPU of compute capability 9.0\n");
    return 1;
  }
  const std::unique_ptr<CublasLt> library = CublasLt::Open();
  fmt::print("{}{}; µs (TFLOP/s)\n", device.name, library ? "" : ", no libcublasLt.so.13");
  std::fflush(stdout);
  Bench bench(library.get());
  for (const int64_t count : tokens) {
    for (const Product& product : kProducts) {
      if (std::string(product.name).find(only) == std::string::npos) continue;
      bench.Measure(product, count, every_plan);
    }
  }
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main(argc, argv); }
