#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rose/cuda/cudnn_attention.h"
#include "rose/cuda/device.h"
#include "rose/cuda/graph.h"
#include "rose/cuda/stream.h"
#include "rose/kernels/attention_test_step.h"

// cuDNN's attention against ReferenceOps, and in large steps against our own kernel.

namespace rose::cuda {
namespace {

using kernels::AttentionBackend;
using kernels::AttentionStep;
using kernels::ExpectNear;
using kernels::LargeSteps;
using kernels::ReferenceAttention;
using kernels::StepLengths;

constexpr AttentionMask kFull = AttentionMask::kFull;
constexpr AttentionMask kCausal = AttentionMask::kCausal;
constexpr float kHuge = 1e30f;

AttentionParams Params(int heads, int kv_heads, int head_dim, AttentionMask mask) {
  return {.heads = heads,
          .kv_heads = kv_heads,
          .head_dim = head_dim,
          .scale = 1 / std::sqrt(static_cast<float>(head_dim)),
          .mask = mask};
}

testing::Message Describe(const AttentionStep& step, int64_t longest) {
  const AttentionParams& p = step.params;
  testing::Message text;
  text << p.heads << "/" << p.kv_heads << " heads of " << p.head_dim
       << (p.mask == kCausal ? ", causal" : ", full") << ", longest " << longest << ", rows "
       << step.rows << ", " << step.bounds.size() - 1 << " slots, bounds";
  for (std::size_t i = 0; i < std::min<std::size_t>(step.bounds.size(), 12); ++i) {
    text << " " << step.bounds[i];
  }
  return text;
}

int64_t Longest(const StepLengths& lengths) {
  int64_t longest = 1;
  for (const int32_t length : lengths.lengths) longest = std::max<int64_t>(longest, length);
  return longest;
}

class CudnnAttentionTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto device = OpenDevice(0);
    if (!device.ok()) GTEST_SKIP() << "no GPU: " << device.status();
    auto attention = CudnnAttention::Create({.tokens = 1 << 16, .sequences = 4096});
    if (absl::IsNotFound(attention.status())) GTEST_SKIP() << "no cuDNN: " << attention.status();
    ASSERT_TRUE(attention.ok()) << attention.status();
    attention_ = *std::move(attention);
    auto stream = Stream::Create();
    ASSERT_TRUE(stream.ok()) << stream.status();
    stream_ = *std::move(stream);
  }

  absl::Status Queue(AttentionStep& step, int64_t longest) {
    attention_->BeginStep(step.shape(longest));
    return attention_->Run({.stream = stream_.get()}, step.params, step.device_bounds(),
                           step.device_qkv(), step.device_out());
  }

  std::vector<std::byte> Run(AttentionStep& step, int64_t longest) {
    step.Upload();
    const absl::Status queued = Queue(step, longest);
    EXPECT_TRUE(queued.ok()) << queued;
    EXPECT_TRUE(stream_.Wait().ok()) << stream_.Wait();
    return step.Download();
  }

  std::unique_ptr<CudnnAttention> attention_;
  Stream stream_;
};

TEST_F(CudnnAttentionTest, IsAsTheReference) {
  const std::vector<StepLengths> steps = {
      {.lengths = {1}},
      {.lengths = {2, 1, 3}, .padding = 10, .empty_slots = 3},
      {.lengths = {16, 17, 15, 64, 63, 65}, .padding = 1},
      {.lengths = {0, 33, 0, 0, 127, 128, 129, 0}, .padding = 200, .empty_slots = 40},
      {.lengths = {191, 192, 193}},
      {.lengths = {400, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, .empty_slots = 100},
  };
  for (const int head_dim : {64, 128}) {
    for (const AttentionMask mask : {kFull, kCausal}) {
      for (const int kv_heads : {1, 2, 4}) {
        for (const StepLengths& lengths : steps) {
          AttentionStep step(Params(4, kv_heads, head_dim, mask), DType::kBFloat16, lengths,
                             /*seed=*/kv_heads);
          step.FillRows(step.tokens, step.rows, kHuge);
          const auto expected = ReferenceAttention(step, step.params);
          for (const int64_t longest : {Longest(lengths), int64_t{0}}) {
            SCOPED_TRACE(Describe(step, longest));
            ExpectNear(step, Run(step, longest), expected);
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST_F(CudnnAttentionTest, AgreesWithOurKernelOnLargeSteps) {
  for (const AttentionParams& params : {Params(16, 8, 128, kCausal), Params(16, 8, 128, kFull),
                                        Params(16, 16, 64, kFull), Params(16, 4, 64, kCausal)}) {
    for (const StepLengths& lengths : LargeSteps()) {
      AttentionStep step(params, DType::kBFloat16, lengths);
      SCOPED_TRACE(Describe(step, Longest(lengths)));
      const auto expected = step.Run(AttentionBackend::kSimple);
      ExpectNear(step, Run(step, Longest(lengths)), expected);
    }
  }
}

/// What stands in other sequences and in padding, while finite, changes no bit.
TEST_F(CudnnAttentionTest, SequencesDoNotMix) {
  const StepLengths lengths = {.lengths = {70, 130, 1, 300, 64}, .padding = 77, .empty_slots = 3};
  for (const int head_dim : {64, 128}) {
    for (const AttentionMask mask : {kFull, kCausal}) {
      AttentionStep clean(Params(4, 2, head_dim, mask), DType::kBFloat16, lengths);
      const auto expected = Run(clean, 300);
      const std::ptrdiff_t row_bytes = clean.out_cols() * 2;
      for (std::size_t s = 0; s < lengths.lengths.size(); ++s) {
        AttentionStep step(clean.params, DType::kBFloat16, lengths);
        step.FillRows(0, step.bounds[s], kHuge);
        step.FillRows(step.bounds[s + 1], step.rows, kHuge);
        const auto actual = Run(step, 300);
        const auto begin = actual.begin() + step.bounds[s] * row_bytes;
        const auto end = actual.begin() + step.bounds[s + 1] * row_bytes;
        const auto wrong =
            std::mismatch(begin, end, expected.begin() + step.bounds[s] * row_bytes).first;
        EXPECT_TRUE(wrong == end) << Describe(step, 300) << ": sequence " << s << ", row "
                                  << (wrong - begin) / row_bytes << " of its own";
      }
    }
  }
}

TEST_F(CudnnAttentionTest, RepeatsToTheBit) {
  StepLengths lengths = {.padding = 3, .empty_slots = 5};
  for (int32_t i = 0; i < 40; ++i) lengths.lengths.push_back(1 + i * 97 % 600);
  for (const int head_dim : {64, 128}) {
    for (const AttentionMask mask : {kFull, kCausal}) {
      AttentionStep step(Params(8, 4, head_dim, mask), DType::kBFloat16, lengths);
      const auto first = Run(step, 600);
      for (int run = 1; run < 5; ++run) {
        EXPECT_TRUE(Run(step, 600) == first) << Describe(step, 600) << ", run " << run;
      }
    }
  }
}

/// One graph for all lengths of a bucket, and for those of two layers.
TEST_F(CudnnAttentionTest, OneGraphServesAnyLengths) {
  const StepLengths captured = {.lengths = {100, 200, 84}, .padding = 128, .empty_slots = 61};
  const StepLengths others[] = {{.lengths = {384}, .padding = 128, .empty_slots = 63},
                                {.lengths = {512}, .empty_slots = 63},
                                {.lengths = {}, .padding = 512, .empty_slots = 64},
                                {.lengths = {0, 0, 1}, .padding = 511, .empty_slots = 61},
                                {.lengths = std::vector<int32_t>(64, 8)},
                                {.lengths = {1, 0, 500, 0, 2}, .padding = 9, .empty_slots = 59}};
  for (const int head_dim : {64, 128}) {
    for (const AttentionMask mask : {kFull, kCausal}) {
      AttentionStep step(Params(4, 2, head_dim, mask), DType::kBFloat16, captured);
      Run(step, /*longest=*/0);
      const auto graph = Graph::Capture(stream_, [&] {
        RETURN_IF_ERROR(Queue(step, 0));
        // A second layer finds the offsets of the first.
        return attention_->Run({.stream = stream_.get()}, step.params, step.device_bounds(),
                               step.device_qkv(), step.device_out());
      });
      ASSERT_TRUE(graph.ok()) << graph.status();
      for (const StepLengths& lengths : others) {
        step.SetBounds(lengths);
        step.Upload();
        ASSERT_EQ(graph->Launch(stream_), cudaSuccess);
        ASSERT_TRUE(stream_.Wait().ok()) << stream_.Wait();
        SCOPED_TRACE(Describe(step, 0));
        ExpectNear(step, step.Download(), ReferenceAttention(step, step.params));
        if (HasFailure()) return;
      }
    }
  }
}

/// Whatever the shape of the step before: plans and offsets are of the running one.
TEST_F(CudnnAttentionTest, ShapesTakeTurns) {
  const AttentionParams params = Params(4, 2, 128, kCausal);
  AttentionStep few(params, DType::kBFloat16, {.lengths = {90, 38}});
  AttentionStep many(params, DType::kBFloat16,
                     {.lengths = std::vector<int32_t>(300, 5), .empty_slots = 212}, /*seed=*/2);
  const auto of_few = ReferenceAttention(few, params);
  const auto of_many = ReferenceAttention(many, params);
  for (int round = 0; round < 3; ++round) {
    ExpectNear(few, Run(few, 90), of_few);
    ExpectNear(many, Run(many, 5), of_many);
  }
}

}  // namespace
}  // namespace rose::cuda
