#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "common/check.h"
#include "rose/weights/norm_names.h"
#include "rose/weights/weights.h"

namespace rose {
namespace {

constexpr int64_t kElementsMax = int64_t{1} << 36;
constexpr float kDeviation = 0.02F;  // initializer_range of BERT and its descendants.

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class SplitMix64 {
 public:
  /// As it is after `drawn` numbers.
  explicit SplitMix64(uint64_t seed, uint64_t drawn = 0) : state_(seed + drawn * kStep) {}
  uint64_t Next() {
    uint64_t z = state_ += kStep;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15;

  uint64_t state_;
};

/// The sum of four uniform numbers, centred and scaled to `deviation`: near enough to a normal
/// distribution for weights, at one draw a value, and the same on every machine.
float NextNormal(SplitMix64& random, float deviation) {
  const uint64_t bits = random.Next();
  int64_t sum = -2 * 0xffff;
  for (int i = 0; i < 4; ++i) sum += static_cast<int64_t>((bits >> (16 * i)) & 0xffff);
  constexpr float kSumDeviation = 37837.2F;  // sqrt(4 (2³² − 1) / 12)
  return static_cast<float>(sum) * (deviation / kSumDeviation);
}

uint64_t HashName(uint64_t seed, std::string_view name) {
  uint64_t hash = SplitMix64(seed).Next();
  for (const char c : name) hash = SplitMix64(hash ^ static_cast<uint8_t>(c)).Next();
  return hash;
}

void Fill(std::string_view name, uint64_t seed, std::span<float> values) {
  if (BelongsToNorm(name)) {
    std::fill(values.begin(), values.end(), name.ends_with(".bias") ? 0.0F : 1.0F);
    return;
  }
  // Large tables take seconds otherwise. Every part draws the numbers that it would draw in one go.
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const uint64_t start = HashName(seed, name);
  std::atomic<std::size_t> next = 0;
  const auto fill = [&] {
    for (std::size_t first = kPart * next++; first < values.size(); first = kPart * next++) {
      SplitMix64 random(start, first);
      for (float& value : values.subspan(first, std::min(kPart, values.size() - first))) {
        value = NextNormal(random, kDeviation);
      }
    }
  };
  const std::size_t others =
      std::min<std::size_t>(values.size() / kPart, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers(others);
  for (std::thread& helper : helpers) helper = std::thread(fill);
  fill();
  for (std::thread& helper : helpers) helper.join();
}

class RandomWeights final : public Weights {
 public:
  explicit RandomWeights(uint64_t seed) : seed_(seed) {}

  void AcceptPrefixes(std::vector<std::string>) override {}
  bool Has(std::string_view) const override { return false; }
  int64_t bytes() const override { return 0; }
  void Skip(std::string_view) override {}
  absl::Status Finish() const override { return absl::OkStatus(); }

  using Weights::Get;
  absl::StatusOr<HostTensor> Get(std::string_view name, std::span<const int64_t> shape) override {
    CHECK(read_.emplace(name).second) << name << " is read twice";
    return GetTied(name, shape);
  }

  absl::StatusOr<HostTensor> GetTied(std::string_view name,
                                     std::span<const int64_t> shape) override {
    int64_t elements = 1;
    for (int64_t extent : shape) {
      CHECK(extent >= 0) << name;
      if (__builtin_mul_overflow(elements, extent, &elements) || elements > kElementsMax) {
        return absl::InvalidArgumentError(
            fmt::format("{}: shape {} is too large for random weights", name, shape));
      }
    }
    const auto count = static_cast<std::size_t>(elements);
    const auto values = std::make_shared_for_overwrite<float[]>(count);
    Fill(name, seed_, {values.get(), count});
    return HostTensor{.name = std::string(name),
                      .dtype = DType::kFloat32,
                      .shape = {shape.begin(), shape.end()},
                      .bytes = std::as_bytes(std::span<const float>(values.get(), count)),
                      .buffer = values};
  }

 private:
  uint64_t seed_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace

std::unique_ptr<Weights> Weights::Random(uint64_t seed) {
  return std::make_unique<RandomWeights>(seed);
}

}  // namespace rose
