#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "kernel_tables.h"
#include "kernel_twins.h"

// The CPU's kernels of each instruction set beside the same on plain loops, with shapes and numbers
// of the input, odd sizes among them. What the processor lacks is skipped, and said.

namespace {

using rose::Activation;
using rose::BFloat16;
using rose::cpu::AttentionArgs;
using rose::cpu::Kernels;
using rose::cpu::NormWeights;
using rose::cpu::RowKernels;

/// Beyond it a sum of a few products of two leaves float32.
constexpr float kSummed = 1e4F;
constexpr float kAny = 3e38F;

/// One case of any kernel of one pair of tables, for activations of type T.
template <typename T>
class Case {
 public:
  Case(const KernelTwins& twins, FuzzInput input) : twins_(twins), input_(input) {}

  void Check() {
    static constexpr std::array kChecks = {
        &Case::Elements,     &Case::Embed,       &Case::EmbedNorm, &Case::Norm, &Case::ResidualNorm,
        &Case::Rope,         &Case::Activate,    &Case::Gate,      &Case::Pool, &Case::Normalize,
        &Case::SmallProduct, &Case::DeepProduct, &Case::Attention};
    const auto check = kChecks[input_.Take<uint8_t>() % kChecks.size()];
    (this->*check)();
  }

 private:
  static const RowKernels<T>& Rows(const Kernels& kernels) {
    if constexpr (std::is_same_v<T, float>) {
      return kernels.f32;
    } else {
      return kernels.bf16;
    }
  }

  template <typename U>
  std::vector<U> Numbers(int64_t n, float limit) {
    return KernelNumbers(input_, limit).Make<U>(n);
  }
  template <typename U = T>
  static std::vector<U> Room(int64_t n) {
    return std::vector<U>(static_cast<std::size_t>(n));
  }
  std::vector<int32_t> Ids(int64_t n, int64_t end) {
    std::vector<int32_t> ids;
    ids.reserve(static_cast<std::size_t>(n));
    for (int64_t i = 0; i < n; ++i) ids.push_back(static_cast<int32_t>(input_.Number(0, end - 1)));
    return ids;
  }
  int64_t Rows() { return input_.Number(1, 9); }
  int64_t Cols() { return input_.Number(1, 150); }
  Activation AnyActivation() {
    return static_cast<Activation>(input_.Number(0, static_cast<int>(Activation::kLog1pRelu)));
  }

  struct Norms {
    std::vector<float> weight, bias;
    NormWeights weights = {};
  };
  Norms AnyNorm(int64_t cols) {
    Norms norms{.weight = Numbers<float>(cols, kUsualSize),
                .bias = Numbers<float>(cols, kUsualSize)};
    norms.weights = {.kind = input_.Flag() ? rose::NormKind::kRms : rose::NormKind::kLayer,
                     .weight = norms.weight.data(),
                     .bias = input_.Flag() ? norms.bias.data() : nullptr,
                     .epsilon = input_.Flag() ? 1e-2F
                                : kToTheBit   ? 1e-12F
                                              : 1e-2F};
    return norms;
  }

  void Elements() {
    const int64_t n = Cols();
    const auto x = Numbers<T>(n, kAny), y = Numbers<T>(n, kAny);
    twins_.Compare(Room(n), [&](const Kernels& kernels, T* out) {
      Rows(kernels).add(x.data(), y.data(), n, out);
    });
    twins_.Compare(
        x, [&](const Kernels& kernels, T* out) { Rows(kernels).add(out, y.data(), n, out); });
    twins_.Compare(Room<float>(n), [&](const Kernels& kernels, float* out) {
      Rows(kernels).widen(x.data(), n, out);
    });
  }

  void Embed() {
    constexpr int64_t kTable = 5;
    const int64_t rows = Rows(), cols = Cols();
    const auto ids = Ids(rows, kTable);
    const auto table = Numbers<T>(kTable * cols, kAny), start = Numbers<T>(rows * cols, kAny);
    for (const bool add : {false, true}) {
      twins_.Compare(start, [&](const Kernels& kernels, T* out) {
        Rows(kernels).embed(table.data(), ids.data(), rows, cols, add, out);
      });
    }
  }

  void EmbedNorm() {
    constexpr int64_t kTable = 4;
    const int64_t rows = Rows(), cols = Cols();
    const auto ids = Ids(rows, kTable), positions = Ids(rows, kTable), types = Ids(rows, kTable);
    const auto table = Numbers<T>(kTable * cols, kSummed),
               other = Numbers<T>(kTable * cols, kSummed);
    const Norms norm = AnyNorm(cols);
    const bool has_positions = input_.Flag(), has_types = input_.Flag();
    twins_.Compare(Room(rows * cols), [&](const Kernels& kernels, T* out) {
      Rows(kernels).embed_norm({.norm = norm.weights,
                                .words = table.data(),
                                .ids = ids.data(),
                                .positions = has_positions ? other.data() : nullptr,
                                .position_ids = has_positions ? positions.data() : nullptr,
                                .types = has_types ? table.data() : nullptr,
                                .type_ids = has_types ? types.data() : nullptr,
                                .rows = rows,
                                .cols = cols,
                                .out = out});
    });
  }

  void Norm() {
    const int64_t rows = Rows(), cols = Cols();
    const auto x = Numbers<T>(rows * cols, kSummed), residual = Numbers<T>(rows * cols, kSummed);
    const Norms norm = AnyNorm(cols);
    const bool in_place = input_.Flag(), has_residual = input_.Flag();
    twins_.Compare(x, [&](const Kernels& kernels, T* out) {
      Rows(kernels).norm({.norm = norm.weights,
                          .x = in_place ? out : x.data(),
                          .residual = has_residual ? residual.data() : nullptr,
                          .rows = rows,
                          .cols = cols,
                          .out = out});
    });
  }

  void ResidualNorm() {
    const int64_t rows = Rows(), cols = Cols();
    const auto x = Numbers<T>(rows * cols, kSummed), y = Numbers<T>(rows * cols, kSummed);
    const Norms norm = AnyNorm(cols);
    const auto run = [&](const Kernels& kernels, T* sum, T* out) {
      Rows(kernels).residual_norm(
          {.norm = norm.weights, .y = y.data(), .rows = rows, .cols = cols, .x = sum, .out = out});
    };
    twins_.Compare(x, [&](const Kernels& kernels, T* sum) {
      auto out = Room(rows * cols);
      run(kernels, sum, out.data());
    });
    twins_.Compare(Room(rows * cols), [&](const Kernels& kernels, T* out) {
      auto sum = x;
      run(kernels, sum.data(), out);
    });
  }

  void Rope() {
    const int64_t heads = input_.Number(1, 4), half = input_.Number(1, 70);
    const int64_t head_dim = 2 * half + input_.Number(0, 9);
    const auto cosines = Numbers<float>(half, 1), sines = Numbers<float>(half, 1);
    twins_.Compare(Numbers<T>(heads * head_dim, kAny), [&](const Kernels& kernels, T* x) {
      Rows(kernels).rope({cosines.data(), sines.data(), half}, heads, head_dim, x);
    });
  }

  void Activate() {
    const int64_t n = Cols();
    const Activation activation = AnyActivation();
    twins_.Compare(Numbers<T>(n, kAny),
                   [&](const Kernels& kernels, T* x) { Rows(kernels).activate(activation, n, x); });
  }

  void Gate() {
    const int64_t rows = Rows(), cols = Cols();
    const Activation activation = AnyActivation();
    const auto x = Numbers<T>(2 * rows * cols, kAny);
    twins_.Compare(Room(rows * cols), [&](const Kernels& kernels, T* out) {
      Rows(kernels).gate(activation, x.data(), rows, cols, out);
    });
  }

  void Pool() {
    const int64_t tokens = Rows(), cols = Cols(), stride = cols + input_.Number(0, 3);
    const auto x = Numbers<T>(tokens * stride, kSummed);
    const auto mode =
        static_cast<rose::PoolingMode>(input_.Number(0, static_cast<int>(rose::PoolingMode::kSum)));
    const int64_t skip = input_.Number(0, tokens + 1);
    twins_.Compare(Room<float>(cols), [&](const Kernels& kernels, float* out) {
      Rows(kernels).pool({.mode = mode,
                          .x = x.data(),
                          .stride = stride,
                          .tokens = tokens,
                          .skip = skip,
                          .cols = cols,
                          .out = out});
    });
  }

  void Normalize() {
    const int64_t cols = Cols();
    twins_.Compare(Numbers<T>(cols, kAny),
                   [&](const Kernels& kernels, T* x) { Rows(kernels).normalize(cols, x); });
  }

  void SmallProduct() { Product(input_.Number(1, 30), input_.Number(1, 60)); }
  /// Deeper than a slice, with more rows than a block.
  void DeepProduct() {
    const bool deep = input_.Flag();
    Product(deep ? 2 : 150, deep ? rose::cpu::kGemmDepth + input_.Number(0, 20) : 3);
  }

  void Product(int64_t rows, int64_t depth) {
    const int64_t cols = input_.Number(1, 70), panel_cols = twins_.loops.gemm_f32.panel_cols;
    const int64_t panels = (cols + panel_cols - 1) / panel_cols;
    const int64_t a_stride = depth + input_.Number(0, 3), out_stride = cols + input_.Number(0, 3);
    const auto a = Numbers<float>((rows - 1) * a_stride + depth, kSummed);
    const auto packed = Numbers<float>(panels * panel_cols * depth, kSummed);
    const auto bias = Numbers<float>(panels * panel_cols, kSummed);
    const Activation activation = AnyActivation();
    const bool activates = input_.Flag();
    twins_.Compare(Room<float>((rows - 1) * out_stride + cols),
                   [&](const Kernels& kernels, float* out) {
                     kernels.gemm_f32.run({.a = a.data(),
                                           .a_stride = a_stride,
                                           .rows = rows,
                                           .panels = packed.data(),
                                           .panel_stride = panel_cols * depth,
                                           .k = depth,
                                           .cols = cols,
                                           .bias = bias.data(),
                                           .activation = activates ? &activation : nullptr,
                                           .out = out,
                                           .out_stride = out_stride});
                   });
  }

  void Attention() {
    AttentionArgs<T> args;
    args.tokens = input_.Flag() ? input_.Number(1, 20) : input_.Number(100, 280);
    args.head_dim = input_.Number(1, 40);
    args.group = input_.Number(1, 3);
    args.query_begin = input_.Number(0, args.tokens - 1);
    args.query_end =
        args.query_begin + input_.Number(1, std::min<int64_t>(args.tokens - args.query_begin, 30));
    args.scale = 1 / std::sqrt(static_cast<float>(args.head_dim));
    args.before = input_.Flag() ? args.tokens : input_.Number(0, args.tokens);
    args.after = input_.Flag() ? args.tokens : input_.Number(0, args.tokens);
    args.stride = (args.group + 2) * args.head_dim;
    args.out_stride = args.group * args.head_dim;
    const auto qkv = Numbers<T>(args.tokens * args.stride, kUsualSize);
    args.q = qkv.data();
    args.k = qkv.data() + args.group * args.head_dim;
    args.v = args.k + args.head_dim;
    args.bias_stride = 2 * args.tokens - 1;
    const auto bias = Numbers<float>(args.group * args.bias_stride, kUsualSize);
    if (input_.Flag()) args.bias = bias.data() + args.tokens - 1;
    const auto floats =
        static_cast<std::size_t>(rose::cpu::AttentionWorkspaceFloats(args.head_dim));
    const auto free = [](float* memory) { std::free(memory); };
    const std::unique_ptr<float, decltype(free)> workspace(
        static_cast<float*>(std::aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64)), free);
    args.workspace = workspace.get();
    twins_.Compare(Room(args.tokens * args.out_stride), [&](const Kernels& kernels, T* out) {
      args.out = out;
      Rows(kernels).attention(args);
    });
  }

  const KernelTwins& twins_;
  FuzzInput input_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const bool halves = input.Flag();
  for (const KernelTwins& twins : AllKernelTwins()) {
    halves ? Case<BFloat16>(twins, input).Check() : Case<float>(twins, input).Check();
  }
  return 0;
}
