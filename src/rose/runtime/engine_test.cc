// The engine that this build prefers: what does not depend on the family.
#include "rose/runtime/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "rose/models/model_cases.h"
#include "rose/runtime/backends.h"

namespace rose {
namespace {

using ::testing::HasSubstr;

constexpr EngineOptions kOptions = {.max_batch_tokens = 4096, .workers = 2, .measure_curve = false};

class EngineTest : public ::testing::TestWithParam<std::tuple<const char*, DType>> {
 protected:
  void SetUp() override {
    const auto path = ModelCasesPath(std::get<0>(GetParam()));
    cases_ = ReadModelCases(path);
    // The suite also feeds sequences above the limit that the folder sets for texts.
    const auto folder = hub::Open(path, {.max_length = 512});
    ASSERT_TRUE(folder.ok()) << folder.status();
    EngineOptions options = kOptions;
    options.dtype = DTypeName(dtype_);
    auto engine = Engine::Create(*folder, options);
    if (dtype_ == DType::kBFloat16 && !engine.ok()) {
      ASSERT_THAT(std::string(engine.status().message()), HasSubstr("--dtype"));
      GTEST_SKIP() << engine.status().message();
    }
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
  }

  std::vector<float> Run(const PackedSequences& sequences) {
    const std::unique_ptr<LazyTensor> lazy = engine_->Step(sequences.batch());
    const OutputRows rows = lazy->Wait()[hub::Output::kDense];
    EXPECT_EQ(rows.rows, sequences.batch().sequences());
    EXPECT_EQ(rows.columns, columns());
    return {rows.values.begin(), rows.values.end()};
  }
  int64_t columns() const { return engine_->info().outputs[hub::Output::kDense].columns; }
  std::vector<float> RunAlone(const ModelCases::Input& input, bool normalized) {
    PackedSequences sequences;
    sequences.Add(input.ids, normalized);
    return Run(sequences);
  }
  std::span<const float> Row(const std::vector<float>& values, std::size_t row) const {
    const auto width = static_cast<std::size_t>(columns());
    return std::span(values).subspan(row * width, width);
  }
  /// Invariant 1 of the design: a neighbour may move the rounding, no more.
  void ExpectSame(const std::string& name, std::span<const float> a, std::span<const float> b) {
    if (dtype_ == DType::kBFloat16) {
      EXPECT_GE(Cosine(a, b), 0.9999) << name;
    } else {
      EXPECT_LE(MaxAbs(a, b), cases_.float32.max_abs) << name;
    }
  }

  const DType dtype_ = std::get<1>(GetParam());
  ModelCases cases_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(EngineTest, Bug27_ManyCopiesAreAlike) {
  const auto& input = cases_.inputs[3];
  for (const int copies : {2, 7, 64}) {
    PackedSequences sequences;
    for (int i = 0; i < copies; ++i) sequences.Add(input.ids, true);
    const std::vector<float> got = Run(sequences);
    const std::vector<float> alone = RunAlone(input, true);
    for (int i = 0; i < copies; ++i) ExpectSame(input.name, alone, Row(got, i));
  }
}

TEST_P(EngineTest, StepsInFlightKeepTheirOwnResults) {
  ASSERT_GE(engine_->steps_in_flight_max(), 2);
  const auto& first = cases_.inputs[4];
  const auto& second = cases_.inputs[5];
  for (int repeat = 0; repeat < 20; ++repeat) {
    PackedSequences a, b;
    a.Add(first.ids, true);
    b.Add(second.ids, true);
    const auto lazy_a = engine_->Step(a.batch());
    const auto lazy_b = engine_->Step(b.batch());
    a = b = PackedSequences();  // The engine has its own copy.
    const OutputRows rows_b = lazy_b->Wait()[hub::Output::kDense];
    const OutputRows rows_a = lazy_a->Wait()[hub::Output::kDense];
    EXPECT_TRUE(lazy_a->Ready() && lazy_b->Ready());
    Comparison comparison(cases_, dtype_);
    comparison.Embedding(first, rows_a.values);
    comparison.Embedding(second, rows_b.values);
  }
}

TEST_P(EngineTest, AResultThatNobodyWaitsForIsGivenBack) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    PackedSequences sequences;
    sequences.Add(cases_.inputs[4].ids, true);
    engine_->Step(sequences.batch()).reset();
  }
  Comparison comparison(cases_, dtype_);
  comparison.Embedding(cases_.inputs[4], RunAlone(cases_.inputs[4], true));
}

TEST_P(EngineTest, FillsItsLargestStep) {
  const int64_t tokens = engine_->info().step_tokens_max;
  PackedSequences sequences;
  for (std::size_t i = 0;; i = (i + 1) % cases_.inputs.size()) {
    const int64_t room = tokens - static_cast<int64_t>(sequences.ids.size());
    const auto& ids = cases_.inputs[i].ids;
    sequences.Add(std::span(ids).first(std::min<int64_t>(room, std::ssize(ids))), true);
    if (static_cast<int64_t>(sequences.ids.size()) == tokens) break;
  }
  const std::vector<float> got = Run(sequences);
  Comparison comparison(cases_, dtype_);
  for (std::size_t i = 0; i < cases_.inputs.size(); ++i) {
    comparison.Embedding(cases_.inputs[i], Row(got, i));
  }
  for (float value : got) ASSERT_TRUE(std::isfinite(value));
}

TEST_P(EngineTest, SaysWhatItRuns) {
  const EngineInfo& info = engine_->info();
  EXPECT_EQ(info.family, "bert");
  EXPECT_EQ(info.dtype, DTypeName(dtype_));
  EXPECT_EQ(info.device.substr(0, info.device.find(':')), (*FindBackend("auto"))->name);
  EXPECT_FALSE(info.isa.empty());
  EXPECT_EQ(columns(), static_cast<int64_t>(cases_.inputs[0].pooled.size()));
  EXPECT_EQ(info.type_vocabulary_size, 2);
  EXPECT_EQ(info.step_tokens_max, kOptions.max_batch_tokens);
  EXPECT_EQ(info.saturation_tokens, kOptions.max_batch_tokens);
  EXPECT_GT(info.memory_bytes, 0);
}

INSTANTIATE_TEST_SUITE_P(, EngineTest,
                         ::testing::Combine(::testing::Values("bert-mean", "bert-cls"),
                                            ::testing::Values(DType::kFloat32, DType::kBFloat16)),
                         [](const auto& test) {
                           return FolderTestName(std::get<0>(test.param), std::get<1>(test.param));
                         });

class CreateTest : public ::testing::Test {
 protected:
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const EngineOptions& options) {
    return Engine::Create(hub::Open(ModelCasesPath("bert-mean")).value(), options);
  }
  static std::string Error(const EngineOptions& options) {
    const absl::Status status = Create(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }
};

TEST_F(CreateTest, RefusesAnAttentionThatIsNoneOnAnyDevice) {
  for (const BackendKind& backend : Backends()) {
    const std::string device(backend.name);
    EXPECT_THAT(Error({.device = device, .attention = "fa9"}),
                HasSubstr("--attention: expected one of auto, "))
        << device;
  }
}

TEST_F(CreateTest, MeasuresItsBatchBudget) {
  const auto engine = Create({.max_batch_tokens = 128, .workers = 1});
  ASSERT_TRUE(engine.ok()) << engine.status();
  const EngineInfo& info = (*engine)->info();
  ASSERT_FALSE(info.batch_curve.empty());
  EXPECT_EQ(info.batch_curve.front().first, 16);
  EXPECT_LE(info.batch_curve.back().first, 128);
  EXPECT_LE(info.saturation_tokens, info.batch_curve.back().first);
  EXPECT_EQ(info.step_tokens_max, 256) << "a text of the model's limit runs alone";
}

TEST_F(CreateTest, AnyNumberOfWorkersGivesTheSame) {
  const ModelCases cases = ReadModelCases(ModelCasesPath("bert-mean"));
  for (const int workers : {1, 2, 3, 5}) {
    EngineOptions options = kOptions;
    options.dtype = "float32";
    options.workers = workers;
    const auto engine = Create(options);
    ASSERT_TRUE(engine.ok()) << engine.status();
    Comparison comparison(cases, DType::kFloat32);
    for (const auto& input : cases.inputs) {
      PackedSequences sequences;
      sequences.Add(input.ids, true);
      comparison.Embedding(input,
                           (*engine)->Step(sequences.batch())->Wait()[hub::Output::kDense].values);
    }
  }
}

TEST_F(CreateTest, RandomWeightsServeAndDependOnTheirSeed) {
  const auto embed = [](uint64_t seed) {
    const auto engine = Create({.dtype = "float32",
                                .random_weights_seed = seed,
                                .max_batch_tokens = 64,
                                .workers = 1,
                                .measure_curve = false});
    PackedSequences sequences;
    sequences.Add(std::vector<int32_t>{101, 102}, true);
    const auto lazy = engine.value()->Step(sequences.batch());
    const auto values = lazy->Wait()[hub::Output::kDense].values;
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_EQ(embed(1), embed(1));
  EXPECT_LT(Cosine(embed(1), embed(2)), 0.9);
}

TEST_F(CreateTest, BadOptionsAreNamed) {
  EXPECT_THAT(Error({.device = "cuda:0"}), HasSubstr("--device"));
  EXPECT_THAT(Error({.dtype = "float8"}), HasSubstr("--dtype"));
  EXPECT_THAT(Error({.isa = "sse9"}), HasSubstr("--isa"));
  EXPECT_THAT(Error({.max_batch_tokens = 0}), HasSubstr("--max-batch-tokens"));
  EXPECT_THAT(Error({.max_batch_tokens = 100'000'000}), HasSubstr("expected 1 to 1048576"));
  EXPECT_THAT(Error({.batch_efficiency = 0}), HasSubstr("--batch-efficiency"));
  EXPECT_THAT(Error({.batch_efficiency = NAN}), HasSubstr("--batch-efficiency"));
}

}  // namespace
}  // namespace rose
