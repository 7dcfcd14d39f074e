#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "bench/kernels/fma_rate.h"
#include "bench/kernels/timing.h"
#include "rose/core/element.h"
#include "rose/cpu/cpu_backend.h"
#include "rose/cpu/cpu_ops.h"

namespace bench {

/// One backend, one thread, and tensors from its arena.
class Bench {
 public:
  Bench(rose::cpu::Isa isa, rose::DType dtype)
      : backend_(isa, dtype),
        memory_(kArenaBytes),
        arena_(memory_.data(), memory_.bytes()),
        workspace_(rose::cpu::CpuWorkspaceBytes(kHeadDimMax, kWorkspaceBytes)),
        serial_(workspace_.data()),
        ops_(dtype, backend_.kernels(), arena_, serial_),
        peak_(isa >= rose::cpu::Isa::kAvx512 ? Avx512FmaRate() : Avx2FmaRate()) {}

  rose::Ops& ops() { return ops_; }
  rose::cpu::CpuBackend& backend() { return backend_; }
  double peak() const { return peak_; }
  rose::DType dtype() const { return backend_.dtype(); }
  std::byte* workspace() const { return workspace_.data(); }

  rose::Tensor Filled(int64_t rows, int64_t cols, rose::DType dtype) {
    const rose::Tensor tensor = arena_.Take(rows, cols, dtype);
    for (int64_t i = 0; i < tensor.elements(); ++i) rose::SetElement(tensor, i, Next());
    return tensor;
  }
  rose::Tensor Filled(int64_t rows, int64_t cols) { return Filled(rows, cols, dtype()); }
  std::vector<float> Values(int64_t n) {
    std::vector<float> values(static_cast<std::size_t>(n));
    for (float& value : values) value = Next();
    return values;
  }

  void PrintProduct(const std::string& name, double flops, double seconds,
                    std::optional<double> other = {}) const {
    const double rate = flops / seconds * 1e-9;
    fmt::print("{:<52} {:>10.1f} µs {:>7.1f} GFLOP/s {:>4.0f} % of FMAs", name, seconds * 1e6, rate,
               100 * rate / peak_);
    if (other) fmt::print(" {:>4.0f} % of oneDNN", 100 * *other / seconds);
    fmt::print("\n");
  }

  /// Times `body`, which moves `bytes` in and out.
  template <typename Body>
  void PrintRows(const std::string& name, int64_t bytes, const Body& body) {
    const double seconds = BestSeconds(body);
    const rose::ScratchScope scope(ops_);
    const rose::Tensor from = Filled(1, bytes / 8, rose::DType::kFloat32);
    const rose::Tensor to = Filled(1, bytes / 8, rose::DType::kFloat32);
    const auto half = static_cast<std::size_t>(from.bytes());
    const double copy = BestSeconds([&] { std::memcpy(to.data, from.data, half); });
    fmt::print("{:<52} {:>10.1f} µs {:>7.1f} GB/s    {:>4.0f} % of copying\n", name, seconds * 1e6,
               static_cast<double>(bytes) / seconds * 1e-9, 100 * copy / seconds);
  }

 private:
  static constexpr int64_t kHeadDimMax = 256;
  static constexpr int64_t kArenaBytes = int64_t{1} << 30;  // Untouched pages take no memory.
  static constexpr int64_t kWorkspaceBytes = 64 << 20;

  float Next() {
    state_ = state_ * 1664525u + 1013904223u;  // Numerical Recipes' generator.
    return static_cast<float>(state_ >> 8) / 8388608.0f - 1;
  }

  rose::cpu::CpuBackend backend_;
  rose::cpu::Memory memory_;
  rose::Arena arena_;
  rose::cpu::Memory workspace_;
  rose::cpu::Serial serial_;
  rose::cpu::CpuOps ops_;
  double peak_;
  uint32_t state_ = 1;
};

}  // namespace bench
