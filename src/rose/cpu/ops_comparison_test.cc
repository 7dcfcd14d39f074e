#include "rose/cpu/ops_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fmt/format.h"
#include "rose/core/element.h"
#include "rose/cpu/cpu_ops.h"
#include "rose/cpu/kernels_body.h"
#include "rose/cpu/pair_tile_plain.h"
#include "rose/cpu/vec_plain.h"
#include "rose/cpu/worker_pool.h"

namespace rose::cpu {
namespace {

constexpr int64_t kGuardBytes = 256;
constexpr std::byte kGuard{0xa5};
constexpr int64_t kLinearWorkspaceBytes = 16 << 20;

/// Runs a function on a pool's worker, leading the team.
class LeadJob final : public Job {
 public:
  explicit LeadJob(absl::FunctionRef<void(Parallel&)> body) : body_(body) {}
  void RunTask(int, WorkerPool& pool, int worker) override {
    WorkerPool::Lead lead(pool, worker);
    body_(lead.parallel());
  }

 private:
  absl::FunctionRef<void(Parallel&)> body_;
};

}  // namespace

std::vector<Setup> Setups(const std::vector<Isa>& isas, const std::vector<DType>& dtypes) {
  std::vector<Setup> setups;
  for (const Isa isa : isas) {
    for (const DType dtype : dtypes) {
      for (const int workers : {1, 3}) setups.push_back({isa, dtype, workers});
    }
  }
  return setups;
}

std::vector<Setup> KernelSetups(const std::vector<DType>& dtypes) {
  std::vector<Setup> setups =
      Setups({Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Bf16, Isa::kAmx}, dtypes);
  for (const DType dtype : dtypes) {
    for (const Isa isa : {Isa::kAvx2, Isa::kAvx512}) setups.push_back({isa, dtype, 1, true});
  }
  return setups;
}

std::vector<Setup> PairSetups() {
  std::vector<Setup> setups = Setups({Isa::kAvx512Bf16, Isa::kAmx}, {DType::kBFloat16});
  for (const int workers : {1, 3}) {
    setups.push_back({Isa::kAvx512Bf16, DType::kBFloat16, workers, true});
  }
  return setups;
}

std::string Describe(const Setup& setup) {
  return fmt::format("{}{}_{}_{}", setup.plain ? "plain_" : "", IsaName(setup.isa),
                     DTypeName(setup.dtype), setup.workers);
}

const Kernels& KernelsOf(const Setup& setup) {
  static constexpr Kernels kLikeAvx2 = MakeKernels<Plain<8, 6>>(Isa::kAvx2);
  static constexpr Kernels kLikeAvx512 = [] {
    Kernels kernels = MakeKernels<Plain<16, 12>>(Isa::kAvx512);
    kernels.gemm_bf16 = {.panel_cols = kPairCols,
                         .panel_terms = 2,
                         .panel_depth = 2,
                         .tile_rows = PlainPairTile::kRows,
                         .run = PairGemm<PlainPairTile::V, PlainPairTile>};
    return kernels;
  }();
  if (!setup.plain) return KernelsFor(setup.isa);
  return setup.isa == Isa::kAvx2 ? kLikeAvx2 : kLikeAvx512;
}

std::string ReasonToSkip(const Setup& setup) {
  if (setup.plain) return "";
  const auto isa = DetectIsa();
  if (!isa.ok()) return std::string(isa.status().message());
  if (setup.isa > *isa) return fmt::format("this processor has no {}", IsaName(setup.isa));
  return "";
}

std::vector<float> Values(int64_t n, uint32_t seed, float scale) {
  std::vector<float> values(static_cast<std::size_t>(n));
  uint32_t state = seed * 2654435761u + 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;  // Numerical Recipes' generator.
    value = scale * (static_cast<float>(state >> 8) / 8388608.0f - 1);
  }
  return values;
}

Guarded::Guarded(DType dtype, int64_t rows, int64_t cols)
    : shape_{.dtype = dtype, .rows = rows, .cols = cols} {
  memory_.assign(static_cast<std::size_t>(shape_.bytes() + 2 * kGuardBytes), kGuard);
}

Guarded::Guarded(DType dtype, int64_t rows, int64_t cols, const std::vector<float>& values)
    : Guarded(dtype, rows, cols) {
  const Tensor filled = tensor();
  for (int64_t i = 0; i < filled.elements(); ++i) {
    SetElement(filled, i, values[static_cast<std::size_t>(i)]);
  }
}

Tensor Guarded::tensor() const {
  Tensor tensor = shape_;
  tensor.data = memory_.data() + kGuardBytes;
  return tensor;
}

std::vector<float> Guarded::floats() const {
  const Tensor filled = tensor();
  std::vector<float> values;
  for (int64_t i = 0; i < filled.elements(); ++i) values.push_back(GetElement(filled, i));
  return values;
}

bool Guarded::intact() const {
  const auto is_guard = [](std::byte byte) { return byte == kGuard; };
  return std::all_of(memory_.begin(), memory_.begin() + kGuardBytes, is_guard) &&
         std::all_of(memory_.end() - kGuardBytes, memory_.end(), is_guard);
}

void RunCpuOps(const Setup& setup, int64_t head_dim, absl::FunctionRef<void(Ops&)> body) {
  const int64_t workspace = CpuWorkspaceBytes(head_dim, kLinearWorkspaceBytes);
  Memory arena_memory(1 << 20);
  const auto run = [&](Parallel& parallel) {
    Arena arena(arena_memory.data(), arena_memory.bytes());
    CpuOps ops(setup.dtype, KernelsOf(setup), arena, parallel);
    body(ops);
  };
  LeadJob job(run);
  WorkerPool pool(setup.workers, workspace);
  pool.Submit(job, 1);
  job.Wait();
}

void ExpectNear(const Guarded& actual, const std::vector<float>& expected, double terms) {
  const Tensor tensor = actual.tensor();
  ASSERT_EQ(static_cast<std::size_t>(tensor.elements()), expected.size());
  EXPECT_TRUE(actual.intact()) << "written outside";
  double largest = 0;
  for (const float value : expected) largest = std::max<double>(largest, std::abs(value));
  const double unit = tensor.dtype == DType::kBFloat16 ? std::ldexp(1.0, -8) : std::ldexp(1.0, -24);
  const std::vector<float> values = actual.floats();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (values[i] == expected[i]) continue;  // Infinities too.
    // A sum's rounding grows with the largest terms, what is stored with the value itself.
    const double limit = 2 * unit * std::abs(expected[i]) +
                         std::ldexp(1.0, -22) * std::sqrt(terms) * std::max(largest, 1.0);
    ASSERT_NEAR(values[i], expected[i], limit)
        << "at row " << i / static_cast<std::size_t>(tensor.cols) << ", column "
        << i % static_cast<std::size_t>(tensor.cols);
  }
}

}  // namespace rose::cpu
