// What an engine on a GPU promises beside right answers (engine_suite_test.cc has those): graphs
// that serve any lengths, padding that changes nothing, steps that neither allocate nor wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "rose/cuda/device.h"
#include "rose/models/model_cases.h"
#include "rose/runtime/cuda/cuda_engine.h"
#include "rose/runtime/cuda/forbidden_calls.h"

namespace rose {
namespace {

using ::testing::HasSubstr;

/// Sequences of so many tokens, each with ids of its own, and others for another `seed`.
PackedSequences OfLengths(const std::vector<int>& lengths, int32_t seed = 5) {
  PackedSequences packed;
  int32_t next = seed;
  for (const int length : lengths) {
    std::vector<int32_t> ids(static_cast<std::size_t>(length));
    for (int32_t& id : ids) id = next = next * 31 % 97 + 5;
    packed.Add(ids, /*normalized=*/true);
  }
  return packed;
}

class CudaEngineTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const absl::Status gpu = FindUsableGpu(); !gpu.ok()) GTEST_SKIP() << "no GPU: " << gpu;
    const auto path = ModelCasesPath(GetParam());
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "the suite's " << path << " is not there";
    folder_ = hub::Open(path, {.max_length = 512}).value();
  }
  std::unique_ptr<Engine> Make(EngineOptions options = {}) {
    options.device = "cuda:0";
    options.max_batch_tokens = 2048;
    options.measure_curve = false;
    options.poison_scratch = true;
    absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(folder_, options);
    EXPECT_TRUE(engine.ok()) << engine.status();
    return engine.ok() ? *std::move(engine) : nullptr;
  }
  static std::vector<float> Rows(LazyTensor& step) {
    const OutputRows rows = step.Wait()[hub::Output::kDense];
    return {rows.values.begin(), rows.values.end()};
  }
  static std::vector<float> Run(Engine& engine, const PackedSequences& sequences) {
    return Rows(*engine.Step(sequences.batch()));
  }

  hub::ModelFolder folder_;
};

TEST_P(CudaEngineTest, Bug38_EagerCapturedAndReplayedAreTheSameBits) {
  const auto engine = Make();
  const PackedSequences sequences = OfLengths({7, 19, 3});
  const std::vector<float> eager = Run(*engine, sequences);
  EXPECT_EQ(Run(*engine, sequences), eager) << "captured";
  EXPECT_EQ(Run(*engine, sequences), eager) << "replayed";
  EXPECT_GE(engine->graph_counters().replays, 1);
}

TEST_P(CudaEngineTest, Bug38_OneGraphServesAllLengths) {
  const auto engine = Make(), without = Make({.cuda_graphs = "off"});
  Run(*engine, OfLengths({20, 20, 20}));
  Run(*engine, OfLengths({20, 20, 20}));
  const GraphCounters before = engine->graph_counters();
  for (const std::vector<int>& lengths :
       {std::vector{30, 1, 18}, std::vector{1, 31, 19, 9}, std::vector{32, 17, 2}}) {
    const PackedSequences sequences = OfLengths(lengths);
    EXPECT_EQ(Run(*engine, sequences), Run(*without, sequences));
  }
  EXPECT_EQ(engine->graph_counters().captures, before.captures);
  EXPECT_EQ(engine->graph_counters().replays, before.replays + 3);
  EXPECT_EQ(without->graph_counters().captures, 0);
}

TEST_P(CudaEngineTest, Bug38_PaddingChangesNothing) {
  const auto engine = Make();
  // 33 tokens are padded to 48, 48 are not.
  const std::vector<float> padded = Run(*engine, OfLengths({33}));
  const std::vector<float> full = Run(*engine, OfLengths({33, 15}));
  const std::span<const float> first = std::span(full).first(padded.size());
  EXPECT_GE(Cosine(padded, first), 0.9999);
}

TEST_P(CudaEngineTest, AReplayedStepNeitherAllocatesNorWaits) {
  const auto engine = Make({.cuda_spin_us = 10'000'000});
  const PackedSequences sequences = OfLengths({40, 12});
  for (int i = 0; i < 3; ++i) Run(*engine, sequences);
  const int64_t before = forbidden_calls;
  for (int i = 0; i < 8; ++i) {
    const auto first = engine->Step(sequences.batch());
    const auto second = engine->Step(sequences.batch());
    EXPECT_EQ(forbidden_calls, before) << "Step " << i;
    first->Wait();
    second->Wait();
  }
  EXPECT_EQ(forbidden_calls, before) << "Wait polls for as long as it was told";
}

TEST_P(CudaEngineTest, StepsInFlightKeepTheirOwnInputs) {
  const auto engine = Make();
  // More than the ring has places, and no multiple of them: each place gets each of them. The last
  // is so large that it is copied.
  const std::vector<PackedSequences> inputs = {OfLengths({20, 12}, 1),
                                               OfLengths({11, 9, 12}, 2),
                                               OfLengths({32}, 3),
                                               OfLengths({1, 1, 1, 29}, 4),
                                               OfLengths({90, 40}, 6),
                                               OfLengths({12, 20}, 7),
                                               OfLengths({512, 512, 512, 512}, 8)};
  std::vector<std::vector<float>> expected;
  for (const PackedSequences& input : inputs) expected.push_back(Run(*engine, input));
  std::unique_ptr<LazyTensor> before = engine->Step(inputs.front().batch());
  for (std::size_t n = 1; n < 60; ++n) {
    auto step = engine->Step(inputs[n % inputs.size()].batch());
    EXPECT_EQ(Rows(*before), expected[(n - 1) % inputs.size()]) << "step " << n - 1;
    before = std::move(step);
  }
}

TEST_P(CudaEngineTest, Bug39_GraphsBeyondTheirMemoryGo) {
  const auto engine = Make({.cuda_graph_memory_mib = 0});
  for (const int length : {16, 32, 48, 64}) {
    const PackedSequences sequences = OfLengths({length});
    const std::vector<float> eager = Run(*engine, sequences);
    EXPECT_EQ(Run(*engine, sequences), eager);
    EXPECT_EQ(Run(*engine, sequences), eager);
  }
  EXPECT_GE(engine->graph_counters().evictions, 3);
}

// One engine's captures do not disturb another's steps, nor its own second stream of them.
TEST_P(CudaEngineTest, TwoEnginesShareAGpu) {
  const auto first = Make(), second = Make();
  const std::vector<float> expected = Run(*first, OfLengths({21, 4}));
  const auto work = [&](Engine& engine) {
    for (int i = 1; i < 60; ++i) {
      Run(engine, OfLengths({i, 1 + i % 7}));
      EXPECT_EQ(Run(engine, OfLengths({21, 4})), expected);
    }
  };
  std::thread other([&] { work(*second); });
  work(*first);
  other.join();
}

TEST_P(CudaEngineTest, EveryAttentionGivesTheSame) {
  const PackedSequences sequences = OfLengths({130, 17, 1, 64});
  const PackedSequences others = OfLengths({1, 50, 21, 140});  // Of the same bucket.
  const auto simple = Make({.attention = "simple"});
  const std::vector<float> expected = Run(*simple, sequences);
  const std::vector<float> expected_others = Run(*simple, others);
  std::set<std::string> computed;
  for (const char* method : {"fa2", "fa3", "fa4", "cudnn", "short"}) {
    SCOPED_TRACE(method);
    const auto engine = Engine::Create(folder_, {.device = "cuda:0",
                                                 .max_batch_tokens = 2048,
                                                 .measure_curve = false,
                                                 .attention = method,
                                                 .poison_scratch = true});
    if (!engine.ok()) {
      EXPECT_THAT(std::string(engine.status().message()), HasSubstr("--attention"));
      continue;
    }
    computed.insert(method);
    const std::vector<float> eager = Run(**engine, sequences);
    EXPECT_GE(Cosine(eager, expected), 0.999);
    EXPECT_EQ(Run(**engine, sequences), eager) << "captured";
    EXPECT_GE(Cosine(Run(**engine, others), expected_others), 0.999) << "replayed";
  }
  if (cuda::OpenDevice(0).value().compute_capability != 90) return;
  // The others are found at run time. Heads of 32 columns none of these takes.
  const bool takes_heads = std::string_view(GetParam()) != "bert-mean";
  for (const char* method : {"fa2", "fa3", "short"}) {
    EXPECT_EQ(computed.contains(method), takes_heads) << method;
  }
}

TEST_P(CudaEngineTest, RefusesWhatIsNotThere) {
  const auto refusal = [&](EngineOptions options) {
    return std::string(Engine::Create(folder_, options).status().message());
  };
  EXPECT_THAT(refusal({.device = "cuda:99"}), HasSubstr("--device cuda:99"));
  EXPECT_THAT(refusal({.device = "cuda:x"}), HasSubstr("--device"));
  EXPECT_THAT(refusal({.device = "cuda:0", .attention = "fa9"}), HasSubstr("--attention"));
  EXPECT_THAT(refusal({.device = "cuda:0", .cuda_graphs = "often"}), HasSubstr("--cuda-graphs"));
  EXPECT_THAT(refusal({.device = "cuda:0", .tuning = "/no/such/file"}), HasSubstr("--tuning"));
}

INSTANTIATE_TEST_SUITE_P(, CudaEngineTest,
                         ::testing::Values("bert-mean", "xlm-roberta", "qwen3-embedding",
                                           "pplx-embed"),
                         [](const auto& test) { return FolderTestName(test.param); });

}  // namespace
}  // namespace rose
