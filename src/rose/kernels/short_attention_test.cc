#include "rose/kernels/short_attention.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "rose/core/reference_ops.h"
#include "rose/kernels/attention_test_step.h"
#include "rose/kernels/device_buffer.h"
#include "rose/kernels/late_copy.h"

namespace rose::kernels {
namespace {

constexpr AttentionMask kFull = AttentionMask::kFull;
constexpr AttentionMask kCausal = AttentionMask::kCausal;
constexpr int kAllRows[] = {16, 32, 64};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// What happens to queries and keys first.
enum class Heads { kPlain, kTurned, kNormed };

struct Kind {
  int heads;
  int kv_heads;
  int head_dim;
  Heads prepared;
};

// Qwen3, Llama's kind, ModernBERT, XLM-R, BERT, and groups of one, three, seven and eight.
constexpr Kind kKinds[] = {
    {16, 8, 128, Heads::kNormed}, {16, 8, 128, Heads::kTurned}, {16, 8, 128, Heads::kPlain},
    {3, 1, 64, Heads::kNormed},   {12, 12, 64, Heads::kTurned}, {16, 16, 64, Heads::kPlain},
    {12, 12, 64, Heads::kPlain},  {14, 2, 64, Heads::kTurned},  {8, 1, 128, Heads::kNormed}};

const std::vector<StepLengths>& Steps() {
  static const std::vector<StepLengths> steps = {
      {.lengths = {1}},
      {.lengths = {17}, .padding = 15},
      {.lengths = {32}},
      {.lengths = {128}},
      {.lengths = {200}, .padding = 56, .empty_slots = 1},
      {.lengths = {33, 0, 33, 0, 0, 33, 33, 0}, .padding = 4, .empty_slots = 3},
      {.lengths = {1, 100, 257}},
      {.lengths = std::vector<int32_t>(16, 32)},
      {.lengths = std::vector<int32_t>(70, 3), .padding = 2, .empty_slots = 30},
  };
  return steps;
}

/// A step, and the weights of its heads on both sides.
class ShortStep : public AttentionStep {
 public:
  ShortStep(const Kind& kind, AttentionMask mask, const StepLengths& lengths, uint32_t seed = 1)
      : AttentionStep(Params(kind, mask), DType::kBFloat16, lengths, seed),
        prepared_(kind.prepared),
        q_weight_(Weights(seed + 1)),
        k_weight_(Weights(seed + 2)),
        table_(Table()),
        positions_(static_cast<std::size_t>(rows), 1 << 30),
        device_q_weight_(std::as_bytes(std::span(q_weight_))),
        device_k_weight_(std::as_bytes(std::span(k_weight_))),
        device_table_(std::as_bytes(std::span(table_))),
        device_positions_(std::as_bytes(std::span(positions_))) {
    SetPositions();
  }

  testing::Message Describe(int block_rows = 0) const {
    constexpr const char* kPrepared[] = {"plain", "turned", "normed and turned"};
    testing::Message text;
    text << params.heads << "/" << params.kv_heads << " heads of " << params.head_dim
         << (params.mask == kCausal ? ", causal, " : ", full, ")
         << kPrepared[static_cast<int>(prepared_)] << ", blocks of " << block_rows << ", padded to "
         << rows << ", bounds";
    for (std::size_t i = 0; i < std::min<std::size_t>(bounds.size(), 12); ++i) {
      text << " " << bounds[i];
    }
    return text;
  }

  /// Each sequence from a position of its own on.
  void SetPositions() {
    for (std::size_t s = 0; s + 1 < bounds.size(); ++s) {
      for (int32_t i = bounds[s]; i < bounds[s + 1]; ++i) {
        positions_[i] = i - bounds[s] + static_cast<int32_t>(s % 5);
      }
    }
    device_positions_.Set(std::as_bytes(std::span(positions_)));
  }

  HeadNormRopeParams DeviceHeads() {
    return HeadsOf(device_q_weight_.data(), device_k_weight_.data(), device_table_.data(),
                   {reinterpret_cast<const int32_t*>(device_positions_.data()), positions_.size()});
  }

  cudaError_t Queue(const Launch& launch, int block_rows = 0) {
    return ShortAttention(launch, params, DeviceHeads(), shape(), device_bounds(), device_qkv(),
                          device_out(), block_rows);
  }
  std::vector<std::byte> RunShort(int block_rows = 0) {
    Upload();
    ExpectSuccess(Queue({}, block_rows));
    ExpectSuccess(cudaDeviceSynchronize());
    return Download();
  }

  /// Queries and keys are rounded once, normed and turned; the result too.
  std::vector<std::byte> Expected() {
    std::vector<float> wide(static_cast<std::size_t>(rows * params.qkv_cols()));
    for (std::size_t i = 0; i < wide.size(); ++i) {
      wide[i] = static_cast<float>(GetElement(qkv(), static_cast<int64_t>(i)));
    }
    const Tensor used{wide.data(), DType::kFloat32, tokens, params.qkv_cols()};
    const HeadNormRopeParams heads =
        HeadsOf(q_weight_.data(), k_weight_.data(), table_.data(),
                std::span(positions_).first(static_cast<std::size_t>(tokens)));
    ReferenceOps exact(DType::kFloat32, /*arena_bytes=*/64);
    if (prepared_ == Heads::kNormed) {
      exact.HeadNormRope(heads, used);
    } else if (prepared_ == Heads::kTurned) {
      exact.Rope(heads.rope, heads.position_ids, params.heads + params.kv_heads, used);
    }
    std::vector<std::byte> rounded(static_cast<std::size_t>(used.elements()) * SizeOf(dtype));
    const Tensor narrow{rounded.data(), dtype, tokens, params.qkv_cols()};
    for (int64_t i = 0; i < used.elements(); ++i) SetElement(narrow, i, wide[i]);
    std::vector<std::byte> out(static_cast<std::size_t>(rows * out_cols()) * SizeOf(dtype));
    ReferenceOps reference(dtype, /*arena_bytes=*/64);
    reference.Attention(params, narrow, {.cu_seqlens = bounds, .tokens = tokens},
                        {out.data(), dtype, tokens, out_cols()});
    return out;
  }

 private:
  static constexpr int kPositions = 600;

  static AttentionParams Params(const Kind& kind, AttentionMask mask) {
    return {.heads = kind.heads,
            .kv_heads = kind.kv_heads,
            .head_dim = kind.head_dim,
            .scale = 1 / std::sqrt(static_cast<float>(kind.head_dim)),
            .mask = mask};
  }
  std::vector<float> Weights(uint32_t seed) const {
    std::minstd_rand random(seed);
    std::normal_distribution<float> normal(1, 0.5f);
    std::vector<float> weights(static_cast<std::size_t>(params.head_dim));
    for (float& weight : weights) weight = normal(random);
    return weights;
  }
  std::vector<float> Table() const {
    std::vector<float> table;
    const int half = params.head_dim / 2;
    for (int position = 0; position < kPositions; ++position) {
      for (int i = 0; i < params.head_dim; ++i) {
        const double angle = position * std::pow(1e4, -static_cast<double>(i % half) / half);
        table.push_back(static_cast<float>(i < half ? std::cos(angle) : std::sin(angle)));
      }
    }
    return table;
  }
  HeadNormRopeParams HeadsOf(void* q_weight, void* k_weight, void* table,
                             std::span<const int32_t> positions) const {
    const auto vector = [&](void* data, int64_t vectors) {
      return Tensor{data, DType::kFloat32, vectors, params.head_dim};
    };
    HeadNormRopeParams heads;
    if (prepared_ == Heads::kPlain) return heads;
    heads.rope = {.table = vector(table, kPositions),
                  .head_dim = params.head_dim,
                  .rotary_dim = params.head_dim};
    heads.position_ids = positions;
    heads.heads = params.heads;
    heads.kv_heads = params.kv_heads;
    if (prepared_ == Heads::kTurned) return heads;
    const auto norm = [&](void* weight) {
      return NormParams{.kind = NormKind::kRms, .weight = vector(weight, 1), .epsilon = 1e-6f};
    };
    heads.q_norm = norm(q_weight);
    heads.k_norm = norm(k_weight);
    return heads;
  }

  Heads prepared_;
  std::vector<float> q_weight_, k_weight_, table_;
  std::vector<int32_t> positions_;  ///< Those of padding are nowhere in the table.
  DeviceBytes device_q_weight_, device_k_weight_, device_table_, device_positions_;
};

class ShortAttentionTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = NoGpu(); !reason.empty()) GTEST_SKIP() << reason;
    ExpectSuccess(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (stream_ != nullptr) ExpectSuccess(cudaStreamDestroy(stream_));
  }

  cudaStream_t stream_ = nullptr;
};

TEST_F(ShortAttentionTest, IsHeadNormRopeAndAttentionOfTheReference) {
  for (const Kind& kind : kKinds) {
    for (const AttentionMask mask : {kFull, kCausal}) {
      for (const StepLengths& lengths : Steps()) {
        ShortStep step(kind, mask, lengths, static_cast<uint32_t>(kind.heads));
        step.FillRows(step.tokens, step.rows, kNan);
        const auto expected = step.Expected();
        for (const int rows : kAllRows) {
          SCOPED_TRACE(step.Describe(rows));
          ExpectNear(step, step.RunShort(rows), expected);
        }
      }
    }
  }
}

/// What stands in other sequences and in padding changes no bit.
TEST_F(ShortAttentionTest, SequencesDoNotMix) {
  const StepLengths lengths = {.lengths = {70, 130, 1, 90, 64}, .padding = 77, .empty_slots = 9};
  for (const Kind& kind : kKinds) {
    for (const AttentionMask mask : {kFull, kCausal}) {
      for (const int rows : kAllRows) {
        ShortStep clean(kind, mask, lengths);
        const auto expected = clean.RunShort(rows);
        for (std::size_t s = 0; s < lengths.lengths.size(); ++s) {
          ShortStep step(kind, mask, lengths);
          step.FillRows(0, step.bounds[s], kNan);
          step.FillRows(step.bounds[s + 1], step.rows, kNan);
          const auto actual = step.RunShort(rows);
          const auto row_bytes = static_cast<std::size_t>(step.out_cols()) * SizeOf(step.dtype);
          const auto begin = actual.begin() + step.bounds[s] * row_bytes;
          const auto end = actual.begin() + step.bounds[s + 1] * row_bytes;
          const auto wrong =
              std::mismatch(begin, end, expected.begin() + step.bounds[s] * row_bytes).first;
          EXPECT_TRUE(wrong == end) << step.Describe(rows) << ": sequence " << s << ", row "
                                    << (wrong - begin) / row_bytes << " of its own";
        }
      }
    }
  }
}

TEST_F(ShortAttentionTest, RepeatsToTheBit) {
  const StepLengths lengths = {.lengths = {128, 3, 200, 0, 61}, .padding = 3, .empty_slots = 5};
  for (const Kind& kind : kKinds) {
    for (const int rows : kAllRows) {
      ShortStep step(kind, kCausal, lengths);
      const auto first = step.RunShort(rows);
      for (int run = 1; run < 5; ++run) {
        EXPECT_TRUE(step.RunShort(rows) == first) << step.Describe(rows) << ", run " << run;
      }
    }
  }
}

TEST_F(ShortAttentionTest, WithoutTokensWritesNothing) {
  for (const Kind& kind : kKinds) {
    for (const StepLengths& lengths :
         {StepLengths{.lengths = {}}, StepLengths{.lengths = {0, 0}},
          StepLengths{.lengths = {0, 0, 0}, .padding = 64, .empty_slots = 200}}) {
      ShortStep step(kind, kFull, lengths);
      SCOPED_TRACE(step.Describe());
      step.RunShort();  // It checks what is written.
    }
  }
}

/// Far beyond what it is made for.
TEST_F(ShortAttentionTest, AgreesWithSimpleOnLargeSteps) {
  StepLengths mixed = {.padding = 100, .empty_slots = 64};
  for (int32_t i = 0; i < 64; ++i) mixed.lengths.push_back(8 + i * 389 % 1017);
  const StepLengths steps[] = {{.lengths = {4096}}, mixed};
  for (const Kind& kind : {Kind{16, 8, 128, Heads::kPlain}, Kind{12, 12, 64, Heads::kPlain}}) {
    for (const AttentionMask mask : {kFull, kCausal}) {
      for (const StepLengths& lengths : steps) {
        ShortStep step(kind, mask, lengths);
        SCOPED_TRACE(step.Describe());
        ExpectNear(step, step.RunShort(), step.Run(AttentionBackend::kSimple));
      }
    }
  }
}

/// The kernel before it writes qkv long after this one may have started; the one behind it reads
/// its output, and the next step's writes its input again.
TEST_F(ShortAttentionTest, WaitsForItsPredecessor) {
  for (const Kind& kind : kKinds) {
    for (const StepLengths& lengths :
         {StepLengths{.lengths = {32}}, StepLengths{.lengths = {128}, .empty_slots = 3},
          StepLengths{.lengths = {1, 100, 257}, .padding = 154}}) {
      ShortStep step(kind, kCausal, lengths);
      SCOPED_TRACE(step.Describe());
      const auto expected = step.RunShort();
      const Tensor qkv = step.device_qkv(), out = step.device_out();
      const DeviceBytes nothing(static_cast<std::size_t>(qkv.bytes()), 0xff);
      const DeviceBytes source(static_cast<std::size_t>(qkv.bytes()), 0);
      const DeviceBytes result(static_cast<std::size_t>(out.bytes()), 0);
      ExpectSuccess(cudaMemcpy(source.data(), qkv.data, source.size(), cudaMemcpyDeviceToDevice));
      const Launch launch{.stream = stream_, .overlap = true};
      for (int run = 0; run < 4; ++run) {
        step.Upload();  // Poisons the output.
        ExpectSuccess(cudaMemset(qkv.data, 0xff, source.size()));
        ExpectSuccess(cudaDeviceSynchronize());
        for (int layer = 0; layer < 3; ++layer) {
          ExpectSuccess(LateCopy(launch, source.data(), qkv.data, qkv.bytes() / 4));
          ExpectSuccess(step.Queue(launch));
          ExpectSuccess(LateCopy(launch, out.data, result.data(), out.bytes() / 4));
          ExpectSuccess(LateCopy(launch, nothing.data(), qkv.data, qkv.bytes() / 4));
        }
        ExpectSuccess(cudaStreamSynchronize(stream_));
        EXPECT_TRUE(step.Download() == expected) << "run " << run;
        EXPECT_TRUE(result.Get() == expected) << "what the next kernel read, run " << run;
      }
    }
  }
}

/// One graph for all lengths of a bucket.
TEST_F(ShortAttentionTest, GraphServesOtherLengths) {
  const StepLengths captured = {.lengths = {100, 20, 84}, .padding = 52, .empty_slots = 13};
  const StepLengths others[] = {{.lengths = {204}, .padding = 52, .empty_slots = 15},
                                {.lengths = {256}, .padding = 0, .empty_slots = 15},
                                {.lengths = {}, .padding = 256, .empty_slots = 16},
                                {.lengths = std::vector<int32_t>(16, 16), .padding = 0},
                                {.lengths = {1, 0, 200, 0, 2}, .padding = 53, .empty_slots = 11}};
  for (const Kind& kind : kKinds) {
    for (const int rows : kAllRows) {
      ShortStep step(kind, kCausal, captured);
      step.RunShort(rows);  // Loads the module.
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t replay = nullptr;
      ExpectSuccess(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
      ExpectSuccess(step.Queue({.stream = stream_}, rows));
      ExpectSuccess(step.Queue({.stream = stream_, .overlap = true}, rows));
      ExpectSuccess(cudaStreamEndCapture(stream_, &graph));
      ExpectSuccess(cudaGraphInstantiate(&replay, graph, 0));
      for (const StepLengths& lengths : others) {
        step.SetBounds(lengths);
        step.SetPositions();
        step.Upload();
        ExpectSuccess(cudaDeviceSynchronize());
        ExpectSuccess(cudaGraphLaunch(replay, stream_));
        ExpectSuccess(cudaStreamSynchronize(stream_));
        SCOPED_TRACE(step.Describe(rows));
        ExpectNear(step, step.Download(), step.Expected());
      }
      ExpectSuccess(cudaGraphExecDestroy(replay));
      ExpectSuccess(cudaGraphDestroy(graph));
    }
  }
}

}  // namespace
}  // namespace rose::kernels
