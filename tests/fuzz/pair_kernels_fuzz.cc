#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "common/check.h"
#include "fuzz_input.h"
#include "kernel_twins.h"
#include "processor.h"
#include "rose/cpu/kernels.h"
#include "rose/cpu/math_body.h"

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

/// What a kernel writes to, with margins that it must leave alone.
class Framed {
 public:
  explicit Framed(int64_t count)
      : values_(static_cast<std::size_t>(count + 2 * kMargin), kMarginValue) {}

  BFloat16* data() { return values_.data() + kMargin; }
  bool Untouched(int64_t i) { return data()[i].bits == kMarginValue.bits; }
  void CheckMargins() {
    const auto count = static_cast<int64_t>(values_.size()) - 2 * kMargin;
    for (int64_t i = 0; i < kMargin; ++i) {
      CHECK(Untouched(-1 - i) && Untouched(count + i)) << "written outside, at " << i;
    }
  }

 private:
  static constexpr auto kMargin = static_cast<int64_t>(kernel_twins::kMargin);
  static constexpr BFloat16 kMarginValue = kernel_twins::MarginOf<BFloat16>();
  std::vector<BFloat16> values_;
};

void Product(const std::vector<const Kernels*>& tables, FuzzInput input) {
  const int64_t rows = input.Number(0, 140), k = input.Number(1, 130), cols = input.Number(1, 70);
  const int64_t a_stride = k + input.Number(0, 3), out_stride = cols + input.Number(0, 3);
  const bool gelu = input.Flag();
  KernelNumbers numbers(input, kUsualSize);
  const auto a = numbers.Make<BFloat16>(rows == 0 ? 0 : (rows - 1) * a_stride + k);
  const auto b = numbers.Make<BFloat16>(k * cols);
  const auto biases = numbers.Make<float>(cols);
  for (const Kernels* kernels : tables) {
    const GemmKernel<BFloat16>& gemm = kernels->gemm_bf16;
    const int64_t width = gemm.panel_cols, panels = (cols + width - 1) / width;
    const auto packed = Aligned<BFloat16>(panels * gemm.PanelElements(k));
    for (int64_t i = 0; i < k * cols; ++i) {
      const int64_t row = i / cols, column = i % cols;
      const int64_t terms = gemm.panel_terms;
      packed.get()[column / width * gemm.PanelElements(k) + row / terms * terms * width +
                   column % width * terms + row % terms] = b[static_cast<std::size_t>(i)];
    }
    std::vector<float> bias = biases;
    bias.resize(static_cast<std::size_t>(panels * width), 1e30F);
    const auto workspace = Aligned<BFloat16>(gemm.WorkspaceElements(k));
    const Activation activation = Activation::kGelu;
    Framed out(rows * out_stride);
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
    out.CheckMargins();
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = cols; c < out_stride; ++c) CHECK(out.Untouched(r * out_stride + c));
      for (int64_t c = 0; c < cols; ++c) {
        const double got = out.data()[r * out_stride + c].ToFloat();
        double sum = bias[static_cast<std::size_t>(c)], sizes = std::abs(sum);
        for (int64_t i = 0; i < k; ++i) {
          const double term = double{a[static_cast<std::size_t>(r * a_stride + i)].ToFloat()} *
                              b[static_cast<std::size_t>(i * cols + c)].ToFloat();
          sum += term;
          sizes += std::abs(term);
        }
        const double want = gelu ? sum * 0.5 * std::erfc(-sum / std::sqrt(2.0)) : sum;
        CHECK(std::abs(got - want) <=
              kStored * std::abs(want) + 2 * kSummed * static_cast<double>(k) * sizes + 2e-5)
            << rose::cpu::IsaName(kernels->isa) << ", row " << r << ", column " << c << ": " << got
            << " for " << want;
      }
    }
  }
}

/// What one query of one head got, beside sums in double.
void CheckRow(const AttentionArgs<BFloat16>& args, int64_t query, int64_t head, const BFloat16* got,
              const char* isa) {
  const int64_t first = std::max<int64_t>(query - args.before, 0);
  const int64_t end = std::min(query + args.after + 1, args.tokens);
  const BFloat16* q = args.q + query * args.stride + head * args.head_dim;
  std::vector<double> weights;
  double largest = -INFINITY, total = 0;
  for (int64_t key = first; key < end; ++key) {
    double score = 0;
    for (int64_t d = 0; d < args.head_dim; ++d) {
      score += double{q[d].ToFloat()} * args.k[key * args.stride + d].ToFloat();
    }
    score *= args.scale;
    if (args.bias != nullptr) score += args.bias[head * args.bias_stride + key - query];
    weights.push_back(score);
    largest = std::max(largest, score);
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
    // The weights are rounded too (Ops::Attention).
    constexpr double kWeighed = kStored + 2 * rose::cpu::kExp2RoughError;
    CHECK(std::abs(got[d].ToFloat() - want) <= kStored * std::abs(want) + kWeighed * sizes + 1e-6)
        << isa << ", query " << query << ", column " << d << ": " << got[d].ToFloat() << " for "
        << want;
  }
}

void Attention(const std::vector<const Kernels*>& tables, FuzzInput input) {
  AttentionArgs<BFloat16> args;
  args.tokens = input.Flag() ? input.Number(1, 60) : input.Number(1, 280);
  args.head_dim = input.Flag() ? 32 * input.Number(1, 3) : input.Number(1, 40);
  args.query_begin = input.Number(0, args.tokens - 1);
  args.query_end =
      args.query_begin + input.Number(1, std::min<int64_t>(args.tokens - args.query_begin, 30));
  args.scale = 1 / std::sqrt(static_cast<float>(args.head_dim));
  args.before = input.Flag() ? args.tokens : input.Number(0, args.tokens);
  args.after = input.Flag() ? args.tokens : input.Number(0, args.tokens);
  args.group = input.Number(1, 3);
  args.stride = (args.group + 2) * args.head_dim;
  args.out_stride = args.group * args.head_dim;
  KernelNumbers numbers(input, 2);
  const auto qkv = numbers.Make<BFloat16>(args.tokens * args.stride);
  args.q = qkv.data();
  args.k = args.q + args.group * args.head_dim;
  args.v = args.k + args.head_dim;
  std::vector<float> biases;
  if (input.Flag()) {
    args.bias_stride = 2 * args.tokens - 1;
    biases = numbers.Make<float>(args.group * args.bias_stride);
    args.bias = biases.data() + args.tokens - 1;
  }
  const auto workspace = Aligned<float>(rose::cpu::AttentionWorkspaceFloats(args.head_dim));
  args.workspace = workspace.get();
  const int64_t cut = input.Number(args.query_begin, args.query_end);
  for (const Kernels* kernels : tables) {
    Framed out(args.tokens * args.out_stride), parted(args.tokens * args.out_stride);
    args.out = out.data();
    kernels->bf16.attention(args);
    out.CheckMargins();
    // Whoever has which queries, each is the same to the bit.
    args.out = parted.data();
    const int64_t begin = args.query_begin, end = args.query_end;
    args.query_end = cut;
    if (begin < cut) kernels->bf16.attention(args);
    args.query_begin = cut;
    args.query_end = end;
    if (cut < end) kernels->bf16.attention(args);
    args.query_begin = begin;
    CHECK(std::memcmp(out.data(), parted.data(),
                      static_cast<std::size_t>(args.tokens * args.out_stride) * sizeof(BFloat16)) ==
          0)
        << rose::cpu::IsaName(kernels->isa) << ": parted before query " << cut;
    for (int64_t q = 0; q < args.tokens; ++q) {
      for (int64_t head = 0; head < args.group; ++head) {
        const BFloat16* got = out.data() + q * args.out_stride + head * args.head_dim;
        if (q < args.query_begin || q >= args.query_end) {
          for (int64_t d = 0; d < args.head_dim; ++d) CHECK(out.Untouched(got + d - out.data()));
        } else {
          CheckRow(args, q, head, got, rose::cpu::IsaName(kernels->isa));
        }
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
