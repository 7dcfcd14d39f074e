#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rose/cuda/device.h"
#include "rose/cuda/fa4_library.h"
#include "rose/cuda/graph.h"
#include "rose/cuda/memory.h"
#include "rose/cuda/status.h"
#include "rose/cuda/stream.h"

// FlashAttention 4's kernels through the plug-in, against sums in double.

namespace rose::cuda {
namespace {

using kernels::Fa4Tile;

constexpr uint16_t kPoison = 0xffff;  // A NaN.
constexpr int64_t kGuardRows = 64;
constexpr double kRmsErrorMax = 5e-3;  // Relative; rounding the output alone gives 1.7e-3.
constexpr double kErrorMax = 4e-2;     // Of one element; values are of size 1.

std::vector<int32_t> Cumulate(const std::vector<int>& lengths, int64_t slots) {
  std::vector<int32_t> cu_seqlens = {0};
  for (const int length : lengths) cu_seqlens.push_back(cu_seqlens.back() + length);
  cu_seqlens.resize(static_cast<std::size_t>(slots + 1), cu_seqlens.back());
  return cu_seqlens;
}

std::string Name(const AttentionParams& params, Fa4Tile tile, const std::vector<int>& lengths) {
  const std::size_t shown = std::min<std::size_t>(lengths.size(), 12);
  return fmt::format("{}/{} heads of {} {}, {}, {} lengths {}", params.heads,
                     params.key_value_heads(), params.head_dim,
                     params.mask == AttentionMask::kCausal ? "causal" : "full",
                     tile == Fa4Tile::kStock ? "stock tile" : "64 rows", lengths.size(),
                     fmt::join(lengths.begin(), lengths.begin() + shown, " "));
}

/// Packed queries, keys and values on the host and the device, and where the output goes, between
/// guards.
class Step {
 public:
  Step(const AttentionParams& params, int64_t tokens, int64_t slots, uint32_t seed)
      : params_(params), tokens_(tokens), slots_(slots), cols_(params.heads * params.head_dim) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    qkv_.resize(static_cast<std::size_t>(tokens * params.qkv_cols()));
    for (BFloat16& x : qkv_) x = BFloat16::FromFloat(normal(random));
    device_qkv_ = Allocate(tokens * params.qkv_cols() * 2);
    device_out_ = Allocate((tokens + 2 * kGuardRows) * cols_ * 2);
    device_cu_seqlens_ = Allocate((slots + 1) * 4);
  }

  /// Rows behind the last sequence are finite and huge: they must not be seen.
  void SetLengths(const std::vector<int>& lengths) {
    cu_seqlens_ = Cumulate(lengths, slots_);
    std::vector<BFloat16> qkv = qkv_;
    const auto used = static_cast<std::ptrdiff_t>(cu_seqlens_.back() * params_.qkv_cols());
    std::fill(qkv.begin() + used, qkv.end(), BFloat16::FromFloat(1e4F));
    cudaMemcpy(device_qkv_.data(), qkv.data(), qkv.size() * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(device_cu_seqlens_.data(), cu_seqlens_.data(), cu_seqlens_.size() * 4,
               cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();  // A test's stream does not wait for the copies.
  }

  void Poison() {
    cudaMemset(device_out_.data(), 0xff, device_out_.bytes());
    cudaDeviceSynchronize();  // Nor for this: it could poison what the kernel has written.
  }

  cudaError_t Queue(const Fa4Library& library, Fa4Tile tile, const Stream& stream) {
    const Tensor qkv = {.data = device_qkv_.data(),
                        .dtype = DType::kBFloat16,
                        .rows = tokens_,
                        .cols = params_.qkv_cols()};
    const Tensor out = {.data = device_out_.data() + kGuardRows * cols_ * 2,
                        .dtype = DType::kBFloat16,
                        .rows = tokens_,
                        .cols = cols_};
    return library.Attention({.stream = stream.get()}, tile, params_, slots_,
                             device_cu_seqlens_.as<int32_t>(), qkv, out);
  }

  std::vector<uint16_t> Output() const {
    std::vector<uint16_t> out(static_cast<std::size_t>(device_out_.bytes() / 2));
    EXPECT_EQ(cudaMemcpy(out.data(), device_out_.data(), out.size() * 2, cudaMemcpyDeviceToHost),
              cudaSuccess);
    return out;
  }

  /// Nothing but the rows of sequences is written, and those are all finite.
  void CheckExtent(const std::vector<uint16_t>& out) const {
    const int64_t begin = kGuardRows * cols_, end = begin + cu_seqlens_.back() * cols_;
    for (int64_t i = 0; i < static_cast<int64_t>(out.size()); ++i) {
      const bool used = i >= begin && i < end;
      if (used ? std::isfinite(BFloat16{out[i]}.ToFloat()) : out[i] == kPoison) continue;
      FAIL() << "row " << i / cols_ - kGuardRows << " of " << cu_seqlens_.back() << ", column "
             << i % cols_ << (used ? " is not finite" : " was written");
    }
  }

  /// Some rows of every sequence, the first and the last among them, and some heads of each.
  void CheckValues(const std::vector<uint16_t>& out, uint32_t seed) const {
    std::mt19937 random(seed);
    double error = 0, size = 0;
    for (int64_t s = 0; s < slots_; ++s) {
      const int64_t begin = cu_seqlens_[s], length = cu_seqlens_[s + 1] - begin;
      for (int64_t sample = 0; sample < std::min<int64_t>(length, 40); ++sample) {
        const int64_t i = sample == 0   ? 0
                          : sample == 1 ? length - 1
                                        : static_cast<int64_t>(random() % length);
        const auto head = static_cast<int64_t>(random() % params_.heads);
        const std::vector<double> want = Reference(begin, length, i, head);
        for (int64_t d = 0; d < params_.head_dim; ++d) {
          const int64_t at = (kGuardRows + begin + i) * cols_ + head * params_.head_dim + d;
          const double got = BFloat16{out[at]}.ToFloat();
          ASSERT_LE(std::abs(got - want[d]), kErrorMax)
              << "sequence " << s << " of length " << length << ", query " << i << ", head " << head
              << ", column " << d << ": got " << got << ", want " << want[d];
          error += (got - want[d]) * (got - want[d]);
          size += want[d] * want[d];
        }
      }
    }
    EXPECT_LE(std::sqrt(error), kRmsErrorMax * std::sqrt(size));
  }

 private:
  static DeviceMemory Allocate(int64_t bytes) {
    auto memory = DeviceMemory::Allocate(bytes, "a test");
    EXPECT_TRUE(memory.ok()) << memory.status();
    return *std::move(memory);
  }

  double At(int64_t row, int64_t column) const {
    return qkv_[row * params_.qkv_cols() + column].ToFloat();
  }

  std::vector<double> Reference(int64_t begin, int64_t length, int64_t i, int64_t head) const {
    const int64_t dim = params_.head_dim, kv_heads = params_.key_value_heads();
    const int64_t kv_head = head / (params_.heads / kv_heads);
    const int64_t keys = (params_.heads + kv_head) * dim, values = keys + kv_heads * dim;
    const int64_t seen = params_.mask == AttentionMask::kCausal ? i + 1 : length;
    std::vector<double> out(static_cast<std::size_t>(dim));
    double sum = 0;  // Scores of normal data are small: no maximum to take off.
    for (int64_t j = 0; j < seen; ++j) {
      double score = 0;
      for (int64_t d = 0; d < dim; ++d) {
        score += At(begin + i, head * dim + d) * At(begin + j, keys + d);
      }
      const double weight = std::exp(params_.scale * score);
      sum += weight;
      for (int64_t d = 0; d < dim; ++d) out[d] += weight * At(begin + j, values + d);
    }
    for (double& x : out) x /= sum;
    return out;
  }

  AttentionParams params_;
  int64_t tokens_, slots_, cols_;
  std::vector<BFloat16> qkv_;
  std::vector<int32_t> cu_seqlens_;
  DeviceMemory device_qkv_, device_out_, device_cu_seqlens_;
};

std::vector<AttentionParams> Kinds() {
  const auto params = [](int heads, int kv_heads, int head_dim, AttentionMask mask) {
    const float scale = 1 / std::sqrt(static_cast<float>(head_dim));
    return AttentionParams{
        .heads = heads, .kv_heads = kv_heads, .head_dim = head_dim, .scale = scale, .mask = mask};
  };
  return {params(16, 16, 64, AttentionMask::kFull), params(12, 12, 64, AttentionMask::kFull),
          params(16, 8, 128, AttentionMask::kFull), params(16, 8, 128, AttentionMask::kCausal),
          params(2, 1, 128, AttentionMask::kCausal)};
}

class Fa4Attention : public testing::TestWithParam<Fa4Tile> {
 protected:
  void SetUp() override {
    auto found = Fa4Library::Find();
    ASSERT_TRUE(found.ok()) << found.status();
    if (*found == nullptr) GTEST_SKIP() << "no libparterre_fa4.so: scripts/build_fa4.sh makes it";
    library_ = *std::move(found);
    const auto device = OpenDevice(0);
    if (!device.ok()) GTEST_SKIP() << "no GPU: " << device.status();
    if (device->compute_capability != 90) GTEST_SKIP() << "no Hopper GPU: " << device->name;
    ASSERT_TRUE(library_->Load(0).ok()) << library_->Load(0);
    auto stream = Stream::Create();
    ASSERT_TRUE(stream.ok()) << stream.status();
    stream_ = *std::move(stream);
    seed_ = std::random_device()();
  }

  void Run(Step& step) {
    step.Poison();
    ASSERT_EQ(step.Queue(*library_, GetParam(), stream_), cudaSuccess);
    ASSERT_TRUE(stream_.Wait().ok()) << stream_.Wait();
  }

  std::unique_ptr<Fa4Library> library_;
  Stream stream_;
  uint32_t seed_ = 0;
};

TEST_P(Fa4Attention, AgreesWithSumsInDouble) {
  const std::vector<std::vector<int>> cases = {{1},
                                               {32},
                                               {127},
                                               {128},
                                               {129},
                                               {512},
                                               {700},
                                               {4096},
                                               {},
                                               {0},
                                               {3, 0, 1, 193, 0, 0, 700, 64, 0},
                                               {1, 7, 130, 192, 193, 383, 384, 385, 512, 3},
                                               std::vector<int>(200, 8),
                                               std::vector<int>(5, 512)};
  for (const AttentionParams& params : Kinds()) {
    for (const std::vector<int>& lengths : cases) {
      SCOPED_TRACE(Name(params, GetParam(), lengths) + ", seed " + std::to_string(seed_));
      const int64_t used = Cumulate(lengths, static_cast<int64_t>(lengths.size())).back();
      Step step(params, used + 37, static_cast<int64_t>(lengths.size()) + 3, seed_);
      step.SetLengths(lengths);
      Run(step);
      const std::vector<uint16_t> out = step.Output();
      step.CheckExtent(out);
      step.CheckValues(out, seed_);
      Run(step);
      EXPECT_EQ(step.Output(), out) << "two runs differ";
      if (HasFailure()) return;
    }
  }
}

TEST_P(Fa4Attention, OneGraphServesAnyLengths) {
  const std::vector<std::vector<int>> cases = {
      std::vector<int>(8, 128), {1024}, {32}, {5, 0, 700, 0, 0, 1, 193, 64}, {1}, {}, {512, 512}};
  for (const AttentionParams& params : Kinds()) {
    Step step(params, 1024, 8, seed_);
    step.SetLengths({128});
    Run(step);
    const auto graph = Graph::Capture(stream_, [&] {
      return ToStatus(step.Queue(*library_, GetParam(), stream_), "FlashAttention 4");
    });
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(graph->nodes(), 1);
    for (const std::vector<int>& lengths : cases) {
      SCOPED_TRACE(Name(params, GetParam(), lengths) + ", seed " + std::to_string(seed_));
      step.SetLengths(lengths);
      step.Poison();
      ASSERT_EQ(graph->Launch(stream_), cudaSuccess);
      ASSERT_TRUE(stream_.Wait().ok()) << stream_.Wait();
      const std::vector<uint16_t> out = step.Output();
      step.CheckExtent(out);
      step.CheckValues(out, seed_);
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tiles, Fa4Attention, testing::Values(Fa4Tile::kStock, Fa4Tile::kRows64),
                         [](const auto& tile) {
                           return tile.param == Fa4Tile::kStock ? "Stock" : "Rows64";
                         });

}  // namespace
}  // namespace rose::cuda
