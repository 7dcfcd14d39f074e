#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "common/check.h"
#include "fuzz_input.h"
#include "kernel_twins.h"
#include "processor.h"
#include "rose/cpu/kernels.h"

// Products and attention on pairs of bfloat16 (avx512_bf16, AMX) beside sums in double, within what
// roundings explain. What the processor lacks is skipped, and said.

namespace {

using rose::Activation;
using rose::BFloat16;
using rose::cpu::AttentionArgs;
using rose::cpu::GemmKernel;
using rose::cpu::Isa;
using rose::cpu::Kernels;

/// Rounding to bfloat16, and of a sum of float32 for each of its terms.
constexpr double kStored = 1.0 / 256, kSummed = 1.0 / (1 << 22);

std::vector<const Kernels*> Tables() {
  std::vector<const Kernels*> tables;
  for (const Isa needed : {Isa::kAvx512Bf16, Isa::kAmx}) {
    if (ProcessorHas(needed)) tables.push_back(&rose::cpu::KernelsFor(needed));
  }
  return tables;
}

template <typename T>
std::unique_ptr<T, decltype(&std::free)> Aligned(int64_t count) {
  const auto bytes = (static_cast<std::size_t>(count) * sizeof(T) + 64) / 64 * 64;
  auto* memory = static_cast<T*>(std::aligned_alloc(64, bytes));
  std::fill_n(memory, bytes / sizeof(T), T{});
  return {memory, &std::free};
}

void Product(const std::vector<const Kernels*>& tables, FuzzInput input) {
  const int64_t rows = input.Number(1, 70), k = input.Number(1, 130), cols = input.Number(1, 70);
  const int64_t a_stride = k + input.Number(0, 3), out_stride = cols + input.Number(0, 3);
  const bool gelu = input.Flag();
  KernelNumbers numbers(input, kUsualSize);
  const auto a = numbers.Make<BFloat16>((rows - 1) * a_stride + k);
  const auto b = numbers.Make<BFloat16>(k * cols);
  for (const Kernels* kernels : tables) {
    const GemmKernel<BFloat16>& gemm = kernels->gemm_bf16;
    const int64_t width = gemm.panel_cols, panels = (cols + width - 1) / width;
    const auto packed = Aligned<BFloat16>(panels * gemm.PanelElements(k));
    for (int64_t i = 0; i < k * cols; ++i) {
      const int64_t row = i / cols, column = i % cols;
      packed.get()[column / width * gemm.PanelElements(k) + row / 2 * 2 * width +
                   column % width * 2 + row % 2] = b[static_cast<std::size_t>(i)];
    }
    const std::vector<float> bias(static_cast<std::size_t>(panels * width), 0.25F);
    const auto workspace = Aligned<BFloat16>(gemm.WorkspaceElements(k));
    const Activation activation = Activation::kGelu;
    std::vector<BFloat16> out(static_cast<std::size_t>(rows * out_stride));
    gemm.run({.a = a.data(),
              .a_stride = a_stride,
              .rows = rows,
              .panels = packed.get(),
              .panel_stride = gemm.PanelElements(k),
              .k = k,
              .cols = cols,
              .bias = bias.data(),
              .activation = gelu ? &activation : nullptr,
              .out = out.data(),
              .out_stride = out_stride,
              .workspace = workspace.get()});
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < out_stride && r * out_stride + c < rows * out_stride; ++c) {
        const double got = out[static_cast<std::size_t>(r * out_stride + c)].ToFloat();
        double sum = 0.25, sizes = 0.25;
        for (int64_t i = 0; i < k && c < cols; ++i) {
          const double term = double{a[static_cast<std::size_t>(r * a_stride + i)].ToFloat()} *
                              b[static_cast<std::size_t>(i * cols + c)].ToFloat();
          sum += term;
          sizes += std::abs(term);
        }
        double want = gelu ? sum * 0.5 * std::erfc(-sum / std::sqrt(2.0)) : sum;
        if (c >= cols) want = sizes = 0;  // Between the rows nothing is written.
        CHECK(std::abs(got - want) <=
              kStored * std::abs(want) + 2 * kSummed * static_cast<double>(k) * sizes + 2e-5)
            << rose::cpu::IsaName(kernels->isa) << ", row " << r << ", column " << c << ": " << got
            << " for " << want;
      }
    }
  }
}

void Attention(const std::vector<const Kernels*>& tables, FuzzInput input) {
  AttentionArgs<BFloat16> args;
  args.tokens = input.Flag() ? input.Number(1, 20) : input.Number(100, 280);
  args.head_dim = input.Number(1, 40);
  args.query_begin = input.Number(0, args.tokens - 1);
  args.query_end =
      args.query_begin + input.Number(1, std::min<int64_t>(args.tokens - args.query_begin, 30));
  args.scale = 1 / std::sqrt(static_cast<float>(args.head_dim));
  args.before = input.Flag() ? args.tokens : input.Number(0, args.tokens);
  args.after = input.Flag() ? args.tokens : input.Number(0, args.tokens);
  args.stride = 3 * args.head_dim;
  args.out_stride = args.head_dim;
  KernelNumbers numbers(input, 2);
  const auto qkv = numbers.Make<BFloat16>(args.tokens * args.stride);
  args.q = qkv.data();
  args.k = args.q + args.head_dim;
  args.v = args.k + args.head_dim;
  const auto workspace = Aligned<float>(rose::cpu::AttentionWorkspaceFloats(args.head_dim));
  args.workspace = workspace.get();
  for (const Kernels* kernels : tables) {
    std::vector<BFloat16> out(static_cast<std::size_t>(args.tokens * args.out_stride));
    args.out = out.data();
    kernels->bf16.attention(args);
    for (int64_t q = args.query_begin; q < args.query_end; ++q) {
      const int64_t first = std::max<int64_t>(q - args.before, 0);
      const int64_t end = std::min(q + args.after + 1, args.tokens);
      std::vector<double> weights;
      double largest = -INFINITY, total = 0;
      for (int64_t key = first; key < end; ++key) {
        double score = 0;
        for (int64_t d = 0; d < args.head_dim; ++d) {
          score += double{args.q[q * args.stride + d].ToFloat()} *
                   args.k[key * args.stride + d].ToFloat();
        }
        weights.push_back(score * args.scale);
        largest = std::max(largest, weights.back());
      }
      for (double& weight : weights) total += weight = std::exp(weight - largest);
      for (int64_t d = 0; d < args.head_dim; ++d) {
        double want = 0, sizes = 0;
        for (int64_t key = first; key < end; ++key) {
          const double term = weights[static_cast<std::size_t>(key - first)] / total *
                              args.v[key * args.stride + d].ToFloat();
          want += term;
          sizes += std::abs(term);
        }
        const double got = out[static_cast<std::size_t>(q * args.out_stride + d)].ToFloat();
        // The weights are rounded too (Ops::Attention).
        CHECK(std::abs(got - want) <= kStored * std::abs(want) + (kStored + 4e-4) * sizes + 1e-6)
            << rose::cpu::IsaName(kernels->isa) << ", query " << q << ", column " << d << ": "
            << got << " for " << want;
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<const Kernels*> tables = Tables();
  FuzzInput input(data, size);
  input.Flag() ? Product(tables, input) : Attention(tables, input);
  return 0;
}
