#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/kernels/timing.h"
#include "rose/core/ops.h"

namespace bench {

/// What a pass spends its time on.
enum class Part : uint8_t {
  kLinear,
  kLinearActivation,  ///< A product whose kernel also applies the activation, or the gate.
  kAttention,
  kNorm,  ///< With the sum that it follows, and with the rotation where the kernel does both.
  kRope,
  kActivation,
  kEmbedding,
  kPooling,
};

inline constexpr std::array kAllParts = {
    Part::kLinear, Part::kLinearActivation, Part::kAttention, Part::kNorm,
    Part::kRope,   Part::kActivation,       Part::kEmbedding, Part::kPooling};

/// "linear", …: as tables and JSON write it.
constexpr const char* PartName(Part part) {
  switch (part) {
    case Part::kLinear:
      return "linear";
    case Part::kLinearActivation:
      return "linear + activation";
    case Part::kAttention:
      return "attention";
    case Part::kNorm:
      return "norms";
    case Part::kRope:
      return "rope";
    case Part::kActivation:
      return "activation";
    case Part::kEmbedding:
      return "embedding";
    case Part::kPooling:
      return "pooling";
  }
  return "unknown";
}

/// Seconds of each part.
class PartSeconds {
 public:
  double& operator[](Part part) { return seconds_[static_cast<std::size_t>(part)]; }
  double operator[](Part part) const { return seconds_[static_cast<std::size_t>(part)]; }
  double sum() const {
    double sum = 0;
    for (const double seconds : seconds_) sum += seconds;
    return sum;
  }

 private:
  std::array<double, kAllParts.size()> seconds_{};
};

/// Another Ops, each operation timed by the processor time of the thread that calls it.
class TimedOps final : public rose::Ops {
 public:
  using Tensor = rose::Tensor;
  using Ids = std::span<const int32_t>;

  /// Both outlive it; adds to `seconds`.
  TimedOps(rose::Ops& ops, PartSeconds& seconds) : ops_(ops), seconds_(seconds) {}

  rose::DType dtype() const override { return ops_.dtype(); }
  using Ops::Scratch;
  Tensor Scratch(int64_t rows, int64_t cols, rose::DType dtype) override {
    return ops_.Scratch(rows, cols, dtype);
  }
  int64_t ScratchMark() const override { return ops_.ScratchMark(); }
  void ScratchRelease(int64_t mark) override { ops_.ScratchRelease(mark); }

  void Embed(Tensor table, Ids ids, Tensor out, bool add) override {
    Time(Part::kEmbedding, [&] { ops_.Embed(table, ids, out, add); });
  }
  void Add(Tensor x, Tensor y, Tensor out) override {
    Time(Part::kNorm, [&] { ops_.Add(x, y, out); });
  }
  void Norm(const rose::NormParams& norm, Tensor x, Tensor out) override {
    Time(Part::kNorm, [&] { ops_.Norm(norm, x, out); });
  }
  void HeadNorm(const rose::NormParams& norm, int64_t column, int64_t heads, Tensor x) override {
    Time(Part::kNorm, [&] { ops_.HeadNorm(norm, column, heads, x); });
  }
  void Rope(const rose::RopeParams& rope, Ids position_ids, int64_t heads, Tensor x) override {
    Time(Part::kRope, [&] { ops_.Rope(rope, position_ids, heads, x); });
  }
  void Linear(const rose::LinearWeight& weight, Tensor x, Tensor out) override {
    Time(Part::kLinear, [&] { ops_.Linear(weight, x, out); });
  }
  void Activate(rose::Activation activation, Tensor x) override {
    Time(Part::kActivation, [&] { ops_.Activate(activation, x); });
  }
  void Gate(rose::Activation activation, Tensor x, Tensor out) override {
    Time(Part::kActivation, [&] { ops_.Gate(activation, x, out); });
  }
  void Attention(const rose::AttentionParams& params, Tensor qkv, const rose::BatchShape& shape,
                 Tensor out) override {
    Time(Part::kAttention, [&] { ops_.Attention(params, qkv, shape, out); });
  }
  void Pool(rose::PoolingMode mode, Tensor x, const rose::BatchShape& shape, Ids skip,
            int64_t column, Tensor out) override {
    Time(Part::kPooling, [&] { ops_.Pool(mode, x, shape, skip, column, out); });
  }
  void Normalize(std::span<const uint8_t> flags, Tensor x) override {
    Time(Part::kPooling, [&] { ops_.Normalize(flags, x); });
  }
  void Widen(Tensor x, Tensor out) override {
    Time(Part::kPooling, [&] { ops_.Widen(x, out); });
  }

  void EmbedNorm(Tensor words, Ids ids, Tensor positions, Ids position_ids, Tensor types,
                 Ids type_ids, const rose::NormParams& norm, Tensor out) override {
    Time(Part::kEmbedding,
         [&] { ops_.EmbedNorm(words, ids, positions, position_ids, types, type_ids, norm, out); });
  }
  void LinearActivate(const rose::LinearWeight& weight, rose::Activation activation, Tensor x,
                      Tensor out) override {
    Time(Part::kLinearActivation, [&] { ops_.LinearActivate(weight, activation, x, out); });
  }
  void LinearGate(const rose::LinearWeight& weight, rose::Activation activation, Tensor x,
                  Tensor out) override {
    Time(Part::kLinearActivation, [&] { ops_.LinearGate(weight, activation, x, out); });
  }
  void AddNorm(const rose::NormParams& norm, Tensor x, Tensor residual, Tensor out) override {
    Time(Part::kNorm, [&] { ops_.AddNorm(norm, x, residual, out); });
  }
  void ResidualNorm(const rose::NormParams& norm, Tensor y, Tensor x, Tensor out) override {
    Time(Part::kNorm, [&] { ops_.ResidualNorm(norm, y, x, out); });
  }
  void HeadNormRope(const rose::HeadNormRopeParams& params, Tensor qkv) override {
    Time(Part::kNorm, [&] { ops_.HeadNormRope(params, qkv); });
  }

 private:
  template <typename Body>
  void Time(Part part, const Body& body) {
    const double start = ThreadSeconds();
    body();
    seconds_[part] += ThreadSeconds() - start;
  }

  rose::Ops& ops_;
  PartSeconds& seconds_;
};

}  // namespace bench
