// Times the products of whole models for few tokens, as one CUDA graph each: ours with all that
// follows them, kernels overlapping, beside cuBLASLt's fastest candidates with what the library can
// do by itself (bias, residual, the tanh GELU; no norm, no gate). Also searches all plans, one
// product after the other, and prints the best as rows for small_product_plan.cc.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/kernels/cublaslt_product.h"
#include "bench/kernels/graph_timer.h"
#include "common/check.h"
#include "rose/kernels/small_product_chain.h"

namespace bench {
namespace {

using rose::kernels::Launch;
using rose::kernels::SmallProductChain;
using rose::kernels::SmallProductLayers;
using rose::kernels::SmallProductPlan;

using Plans = SmallProductPlan[4];

double ChainMs(const SmallProductChain& chain, const Plans& plans, bool overlap) {
  const auto enqueue = [&](Launch launch) {
    const cudaError_t error = chain.Reset(launch.stream);
    launch.overlap = overlap;
    return error == cudaSuccess ? chain.Run(launch, plans) : error;
  };
  return GraphTimer().Microseconds(enqueue, 1) * 1e-3;
}

/// µs of one product, each layer's after the other's.
double OwnUs(const SmallProductChain& chain, const SmallProductPlan& plan, int j) {
  const auto enqueue = [&](Launch launch) {
    cudaError_t error = chain.Reset(launch.stream);
    for (int layer = 0; layer < chain.layers() && error == cudaSuccess; ++layer) {
      launch.overlap = layer > 0;
      error = chain.RunProduct(launch, plan, layer, j);
    }
    return error;
  };
  return GraphTimer().Microseconds(enqueue, 1) / chain.layers();
}

/// The library's four products of a model, each with its fastest candidate.
class Library {
 public:
  Library(const CublasLt& library, const SmallProductChain& chain, int64_t tokens) : chain_(chain) {
    for (int j = 0; j < 4; ++j) {
      const auto& product = chain.product(j);
      // Any memory will do for a bias.
      const LibraryEpilogue epilogue = {.bias = product.bias ? chain.weight(0).data : nullptr,
                                        .gelu = product.activation && product.bias,
                                        .adds_out = product.of_residual()};
      products_.push_back(std::make_unique<LibraryProduct>(library, product.out_features,
                                                           product.in_features, tokens, epilogue));
      inputs_.emplace_back(tokens, product.in_features, rose::DType::kBFloat16);
      outputs_.emplace_back(tokens, product.out_features, rose::DType::kBFloat16);
      Clear(inputs_.back().tensor());
      PickFastest(j);
    }
  }

  double us(int j) const { return us_[j]; }
  double ChainMs() const {
    const auto enqueue = [&](const Launch& launch) {
      for (int j = 0; j < 4; ++j) Clear(outputs_[j].tensor(), launch.stream);
      for (int layer = 0; layer < chain_.layers(); ++layer) {
        for (int j = 0; j < 4; ++j) Run(j, best_[j], layer, launch.stream);
      }
      return cudaSuccess;
    };
    return GraphTimer().Microseconds(enqueue, 1) * 1e-3;
  }

 private:
  static void Clear(rose::Tensor tensor, cudaStream_t stream = nullptr) {
    // 0x3c3c is 0.0115 in bfloat16.
    CHECK(cudaMemsetAsync(tensor.data, 0x3c, static_cast<std::size_t>(tensor.bytes()), stream) ==
          cudaSuccess);
  }

  void Run(int j, int candidate, int layer, cudaStream_t stream) const {
    // The packed image is as large as the weight and as random.
    CHECK(products_[j]->Run(candidate, chain_.packed(layer, j), inputs_[j].tensor().data,
                            outputs_[j].tensor().data, stream));
  }

  void PickFastest(int j) {
    us_.push_back(1e9);
    best_.push_back(0);
    for (int candidate = 0; candidate < products_[j]->candidates(); ++candidate) {
      const auto enqueue = [&](const Launch& launch) {
        Clear(outputs_[j].tensor(), launch.stream);
        for (int layer = 0; layer < chain_.layers(); ++layer) {
          Run(j, candidate, layer, launch.stream);
        }
        return cudaSuccess;
      };
      const double us = GraphTimer().Microseconds(enqueue, 1) / chain_.layers();
      if (us < us_[j]) us_[j] = us, best_[j] = candidate;
    }
  }

  const SmallProductChain& chain_;
  std::vector<std::unique_ptr<LibraryProduct>> products_;
  std::vector<rose::kernels::OwnedTensor> inputs_, outputs_;
  std::vector<double> us_;
  std::vector<int> best_;
};

/// Tries every plan of each product in the chain, twice around; keeps what is 0.5 % faster.
double Search(const SmallProductChain& chain, int64_t tokens, Plans& plans) {
  constexpr double kFaster = 0.995;
  double best = ChainMs(chain, plans, true);
  for (int round = 0; round < 2; ++round) {
    for (int j = 0; j < 4; ++j) {
      const auto& product = chain.product(j);
      for (const auto& plan : rose::kernels::SmallProductPlans(product.form)) {
        const SmallProductPlan before = plans[j];
        if (plan == before || !FitsPlan(product.Shape(tokens), plan)) continue;
        plans[j] = plan;
        const double ms = ChainMs(chain, plans, true);
        if (ms < best * kFaster) {
          best = ms;
        } else {
          plans[j] = before;
        }
      }
    }
  }
  return best;
}

std::string Text(const SmallProductPlan& plan) {
  return fmt::format("{{{}, {}, {}, {}}}", plan.warpgroups, plan.rows, plan.split, plan.depth);
}

void Measure(const CublasLt* library, const SmallProductLayers& model, int64_t tokens,
             bool search) {
  const SmallProductChain chain(model, model.layers, tokens);
  Plans plans;
  for (int j = 0; j < 4; ++j) plans[j] = *ChooseSmallProduct(chain.product(j).Shape(tokens));
  fmt::print("{}, {} tokens: ours {:.4f} ms (without overlap {:.4f})", model.name, tokens,
             ChainMs(chain, plans, true), ChainMs(chain, plans, false));
  std::unique_ptr<Library> theirs;
  if (library != nullptr) {
    theirs = std::make_unique<Library>(*library, chain, tokens);
    fmt::print(", cuBLASLt's products alone {:.4f} ms", theirs->ChainMs());
  }
  fmt::print("\n");
  for (int j = 0; j < 4; ++j) {
    const auto& product = chain.product(j);
    fmt::print("  {:<8} {:>5} x {:<5} {:<14} {:6.2f} µs", product.name, product.out_features,
               product.in_features, Text(plans[j]), OwnUs(chain, plans[j], j));
    if (theirs) fmt::print(", cuBLASLt {:6.2f} µs", theirs->us(j));
    fmt::print("\n");
  }
  if (!search) return;
  fmt::print("  searched {:.4f} ms:\n", Search(chain, tokens, plans));
  for (int j = 0; j < 4; ++j) {
    fmt::print("    {{{}, {}, {}, {}}},\n", chain.product(j).out_features,
               chain.product(j).in_features, tokens, Text(plans[j]));
  }
}

int Main(int argc, char** argv) {
  CLI::App app("Products for few tokens: ours and cuBLASLt's");
  std::vector<int64_t> tokens = {16, 32, 64, 96, 128};
  std::string only;
  bool search = false;
  app.add_option("--tokens", tokens, "Multiples of 16 up to 128");
  app.add_option("--model", only, "Only models whose name contains this");
  app.add_flag("--search", search, "Try every plan");
  CLI11_PARSE(app, argc, argv);
  cudaDeviceProp device = {};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || device.major != 9) {
    fmt::print("no GPU of compute capability 9.0\n");
    return 1;
  }
  const std::unique_ptr<CublasLt> library = CublasLt::Open();
  fmt::print("{}{}\n", device.name, library ? "" : ", no libcublasLt.so.13");
  for (const SmallProductLayers& model : rose::kernels::kSmallProductLayers) {
    if (std::string(model.name).find(only) == std::string::npos) continue;
    for (const int64_t count : tokens) Measure(library.get(), model, count, search);
  }
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main(argc, argv); }
