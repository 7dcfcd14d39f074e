#include "rose/kernels/attention.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "rose/kernels/attention_test_step.h"
#include "rose/kernels/device_buffer.h"

namespace rose::kernels {
namespace {

constexpr AttentionMask kFull = AttentionMask::kFull;
constexpr AttentionMask kCausal = AttentionMask::kCausal;
constexpr AttentionBackend kBackends[] = {AttentionBackend::kSimple, AttentionBackend::kFa2,
                                          AttentionBackend::kFa3};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kHuge = 1e30f;

AttentionParams Params(int heads, int kv_heads, int head_dim, AttentionMask mask) {
  return {.heads = heads,
          .kv_heads = kv_heads,
          .head_dim = head_dim,
          .scale = 1 / std::sqrt(static_cast<float>(head_dim)),
          .mask = mask};
}

testing::Message Describe(AttentionBackend backend, const AttentionStep& step,
                          int64_t longest = 0) {
  const AttentionParams& p = step.params;
  testing::Message text;
  text << "backend " << static_cast<int>(backend) << ", " << p.heads << "/" << p.kv_heads
       << " heads of " << p.head_dim << (p.mask == kCausal ? ", causal" : ", full") << ", window "
       << p.window << (p.position_bias.data != nullptr ? ", biased, " : ", ")
       << DTypeName(step.dtype) << ", longest hint " << longest << ", rows " << step.rows
       << ", bounds";
  for (std::size_t i = 0; i < std::min<std::size_t>(step.bounds.size(), 12); ++i) {
    text << " " << step.bounds[i];
  }
  return text;
}

class AttentionTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = NoGpu(); !reason.empty()) GTEST_SKIP() << reason;
    int major = 0, minor = 0;
    ExpectSuccess(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    ExpectSuccess(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    ExpectSuccess(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, 0));
    sm_ = 10 * major + minor;
  }

  bool Supported(AttentionBackend backend, const AttentionParams& params) const {
    return Supports(backend, params, DType::kBFloat16, sm_);
  }

  int sm_ = 0;
  int multiprocessors_ = 0;
};

const std::vector<StepLengths>& SmallSteps() {
  static const std::vector<StepLengths> steps = {
      {.lengths = {1}},
      {.lengths = {2, 1, 3}, .padding = 10, .empty_slots = 3},
      {.lengths = {16, 17, 15, 64, 63, 65}, .padding = 1},
      {.lengths = {0, 33, 0, 0, 127, 128, 129, 0}, .padding = 200, .empty_slots = 40},
      {.lengths = {191, 192, 193}},
      {.lengths = {400, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, .empty_slots = 100},
  };
  return steps;
}

TEST_F(AttentionTest, SimpleIsAsTheReference) {
  for (const int head_dim : {8, 20, 32, 40, 64, 80, 96, 128, 256}) {
    for (const AttentionMask mask : {kFull, kCausal}) {
      for (const DType dtype : {DType::kBFloat16, DType::kFloat32}) {
        for (const StepLengths& lengths : SmallSteps()) {
          AttentionStep step(Params(4, 2, head_dim, mask), dtype, lengths, head_dim);
          step.FillRows(step.tokens, step.rows, kNan);
          SCOPED_TRACE(Describe(AttentionBackend::kSimple, step));
          ExpectNear(step, step.Run(AttentionBackend::kSimple),
                     ReferenceAttention(step, step.params));
        }
      }
    }
  }
}

TEST_F(AttentionTest, SimpleHasWindowsAndBiases) {
  constexpr int64_t kPositions = 260;
  std::vector<float> bias(3 * (2 * kPositions - 1));
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = std::sin(static_cast<float>(i));
  const DeviceBytes device_bias(std::as_bytes(std::span(bias)));
  const StepLengths lengths = {.lengths = {260, 1, 30, 129}, .padding = 5, .empty_slots = 1};
  for (const int head_dim : {32, 64, 20}) {
    for (const AttentionMask mask : {kFull, kCausal}) {
      for (const int window : {0, 1, 7, 64, 100}) {
        for (const bool biased : {false, true}) {
          for (const DType dtype : {DType::kBFloat16, DType::kFloat32}) {
            AttentionStep step(Params(3, 1, head_dim, mask), dtype, lengths, window);
            step.params.window = window;
            AttentionParams host_params = step.params;
            if (biased) {
              const Tensor table{bias.data(), DType::kFloat32, 3, 2 * kPositions - 1};
              host_params.position_bias = step.params.position_bias = table;
              step.params.position_bias.data = device_bias.data();
            }
            SCOPED_TRACE(Describe(AttentionBackend::kSimple, step));
            ExpectNear(step, step.Run(AttentionBackend::kSimple),
                       ReferenceAttention(step, host_params));
          }
        }
      }
    }
  }
}

TEST_F(AttentionTest, FlashInferIsAsTheReference) {
  for (const AttentionBackend backend : {AttentionBackend::kFa2, AttentionBackend::kFa3}) {
    for (const int head_dim : {64, 128}) {
      for (const AttentionMask mask : {kFull, kCausal}) {
        for (const int kv_heads : {1, 2, 4}) {
          const AttentionParams params = Params(4, kv_heads, head_dim, mask);
          if (!Supported(backend, params)) continue;
          for (const StepLengths& lengths : SmallSteps()) {
            AttentionStep step(params, DType::kBFloat16, lengths, kv_heads);
            step.FillRows(step.tokens, step.rows, kHuge);
            const auto expected = ReferenceAttention(step, step.params);
            for (const int64_t longest : {0, 4, 16, 64}) {  // A hint: it need not be true.
              SCOPED_TRACE(Describe(backend, step, longest));
              ExpectNear(step, step.Run(backend, longest), expected);
            }
          }
        }
      }
    }
  }
}

TEST_F(AttentionTest, AllAgreeOnLargeSteps) {
  for (const AttentionParams& params : {Params(16, 8, 128, kCausal), Params(16, 8, 128, kFull),
                                        Params(16, 16, 64, kFull), Params(16, 4, 64, kCausal)}) {
    for (const StepLengths& lengths : LargeSteps()) {
      AttentionStep step(params, DType::kBFloat16, lengths);
      const auto expected = step.Run(AttentionBackend::kSimple);
      for (const AttentionBackend backend : {AttentionBackend::kFa2, AttentionBackend::kFa3}) {
        if (!Supported(backend, params)) continue;
        SCOPED_TRACE(Describe(backend, step));
        ExpectNear(step, step.Run(backend), expected);
      }
    }
  }
}

/// What stands in other sequences and in padding changes no bit.
TEST_F(AttentionTest, SequencesDoNotMix) {
  const StepLengths lengths = {.lengths = {70, 130, 1, 300, 64}, .padding = 77, .empty_slots = 9};
  for (const AttentionBackend backend : kBackends) {
    for (const int head_dim : {32, 64, 128}) {
      for (const AttentionMask mask : {kFull, kCausal}) {
        const AttentionParams params = Params(4, 2, head_dim, mask);
        if (!Supported(backend, params)) continue;
        AttentionStep clean(params, DType::kBFloat16, lengths);
        const auto expected = clean.Run(backend);
        for (std::size_t s = 0; s < lengths.lengths.size(); ++s) {
          AttentionStep step(params, DType::kBFloat16, lengths);
          const float poison = backend == AttentionBackend::kFa3 ? kHuge : kNan;
          step.FillRows(0, step.bounds[s], poison);
          step.FillRows(step.bounds[s + 1], step.rows, poison);
          const auto actual = step.Run(backend);
          const auto row_bytes = static_cast<std::size_t>(step.out_cols()) * SizeOf(step.dtype);
          const auto begin = actual.begin() + step.bounds[s] * row_bytes;
          const auto end = actual.begin() + step.bounds[s + 1] * row_bytes;
          const auto wrong =
              std::mismatch(begin, end, expected.begin() + step.bounds[s] * row_bytes).first;
          EXPECT_TRUE(wrong == end) << Describe(backend, step) << ": sequence " << s << ", row "
                                    << (wrong - begin) / row_bytes << " of its own";
        }
      }
    }
  }
}

TEST_F(AttentionTest, RepeatsToTheBit) {
  StepLengths lengths = {.padding = 3, .empty_slots = 5};
  for (int32_t i = 0; i < 40; ++i) lengths.lengths.push_back(1 + i * 97 % 600);
  for (const AttentionBackend backend : kBackends) {
    for (const int head_dim : {32, 64, 128}) {
      for (const AttentionMask mask : {kFull, kCausal}) {
        const AttentionParams params = Params(8, 4, head_dim, mask);
        if (!Supported(backend, params)) continue;
        AttentionStep step(params, DType::kBFloat16, lengths);
        const auto first = step.Run(backend);
        for (int run = 1; run < 5; ++run) {
          EXPECT_TRUE(step.Run(backend) == first) << Describe(backend, step) << ", run " << run;
        }
      }
    }
  }
}

TEST_F(AttentionTest, WithoutTokensWritesNothing) {
  for (const AttentionBackend backend : kBackends) {
    for (const AttentionMask mask : {kFull, kCausal}) {
      const AttentionParams params = Params(4, 2, 64, mask);
      if (!Supported(backend, params)) continue;
      for (const StepLengths& lengths :
           {StepLengths{.lengths = {}}, StepLengths{.lengths = {0, 0}},
            StepLengths{.lengths = {0, 0, 0}, .padding = 64, .empty_slots = 2000}}) {
        AttentionStep step(params, DType::kBFloat16, lengths);
        SCOPED_TRACE(Describe(backend, step));
        step.Run(backend);  // It checks what is written.
      }
    }
  }
}

/// One graph for all lengths of a bucket.
TEST_F(AttentionTest, GraphServesOtherLengths) {
  const StepLengths captured = {.lengths = {100, 200, 84}, .padding = 128, .empty_slots = 61};
  const StepLengths others[] = {{.lengths = {384}, .padding = 128, .empty_slots = 63},
                                {.lengths = {512}, .padding = 0, .empty_slots = 63},
                                {.lengths = {}, .padding = 512, .empty_slots = 64},
                                {.lengths = std::vector<int32_t>(64, 8), .padding = 0},
                                {.lengths = {1, 0, 500, 0, 2}, .padding = 9, .empty_slots = 59}};
  for (const AttentionBackend backend : kBackends) {
    for (const int head_dim : {32, 64, 128}) {
      for (const AttentionMask mask : {kFull, kCausal}) {
        const AttentionParams params = Params(4, 2, head_dim, mask);
        if (!Supported(backend, params)) continue;
        AttentionStep step(params, DType::kBFloat16, captured);
        const AttentionShape shape = step.shape(/*longest=*/384);
        const DeviceBytes workspace(static_cast<std::size_t>(AttentionWorkspaceBytes(
                                        backend, params, shape, multiprocessors_)),
                                    0xff);
        step.Run(backend);  // Loads the modules.
        cudaStream_t stream = nullptr;
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t replay = nullptr;
        ExpectSuccess(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        ExpectSuccess(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        const Launch launch{.stream = stream};
        ExpectSuccess(PlanAttention(launch, backend, params, shape, step.device_bounds(),
                                    multiprocessors_, workspace.data()));
        for (const bool overlap : {false, true}) {  // The second time in place of the first.
          ExpectSuccess(Attention({.stream = stream, .overlap = overlap}, backend, params, shape,
                                  step.device_bounds(), workspace.data(), step.device_qkv(),
                                  step.device_out()));
        }
        ExpectSuccess(cudaStreamEndCapture(stream, &graph));
        ExpectSuccess(cudaGraphInstantiate(&replay, graph, 0));
        for (const StepLengths& lengths : others) {
          step.SetBounds(lengths);
          step.Upload();
          ExpectSuccess(cudaDeviceSynchronize());
          ExpectSuccess(cudaGraphLaunch(replay, stream));
          ExpectSuccess(cudaStreamSynchronize(stream));
          SCOPED_TRACE(Describe(backend, step));
          ExpectNear(step, step.Download(), ReferenceAttention(step, params));
        }
        ExpectSuccess(cudaGraphExecDestroy(replay));
        ExpectSuccess(cudaGraphDestroy(graph));
        ExpectSuccess(cudaStreamDestroy(stream));
      }
    }
  }
}

}  // namespace
}  // namespace rose::kernels
