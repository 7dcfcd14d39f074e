#include "rose/runtime/cpu_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "rose/cpu/isa.h"
#include "rose/models/model_cases.h"

namespace rose {
namespace {

using ::testing::HasSubstr;

hub::ModelFolder Folder(const std::string& name) { return hub::Open(ModelCasesPath(name)).value(); }

EngineOptions Options(int workers) {
  EngineOptions options;
  options.dtype = "float32";
  options.workers = workers;
  options.measure_curve = false;
  options.max_batch_tokens = 2048;
  return options;
}

std::vector<float> Copy(const hub::PerOutput<OutputRows>& rows) {
  const std::span<const float> values = rows[hub::Output::kDense].values;
  return {values.begin(), values.end()};
}

/// Sequences of the given lengths, their ids by `seed`.
PackedSequences Sequences(const std::vector<int64_t>& lengths, int32_t seed) {
  PackedSequences sequences;
  for (const int64_t length : lengths) {
    std::vector<int32_t> ids;
    for (int64_t i = 0; i < length; ++i) {
      ids.push_back(static_cast<int32_t>((seed * 31 + i * 17 + length) % 100));
    }
    sequences.Add(ids, true);
  }
  return sequences;
}

class CpuEngineTest : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Engine> engine_ = MakeCpuEngine(Folder("bert-mean"), Options(GetParam())).value();
};

TEST_P(CpuEngineTest, Bug27_ASequenceIsTheSameToTheBitAloneAndInAnyBatch) {
  const std::vector<int64_t> lengths{1, 2, 64, 5, 130, 33, 1, 250, 16, 16, 16, 7};
  const PackedSequences all = Sequences(lengths, 3);
  const auto lazy = engine_->Step(all.batch());
  const OutputRows rows = lazy->Wait()[hub::Output::kDense];
  const auto columns = static_cast<std::size_t>(rows.columns);
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    const PackedSequences one = Sequences({lengths[s]}, 3);
    const std::vector<float> alone = Copy(engine_->Step(one.batch())->Wait());
    const auto row = rows.values.subspan(s * columns, columns);
    EXPECT_EQ(alone, std::vector<float>(row.begin(), row.end())) << "sequence " << s;
  }
}

TEST_P(CpuEngineTest, Bug29_TwoInFlightManyTimesOver) {
  const std::vector<PackedSequences> batches{Sequences({128}, 1), Sequences({16}, 2),
                                             Sequences(std::vector<int64_t>(24, 40), 3),
                                             Sequences({200, 3, 3}, 4), Sequences({1}, 5)};
  std::vector<std::vector<float>> expected;
  for (const PackedSequences& batch : batches) {
    expected.push_back(Copy(engine_->Step(batch.batch())->Wait()));
  }
  std::unique_ptr<LazyTensor> before;
  std::size_t of_before = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t which = i * i % batches.size();
    auto now = engine_->Step(batches[which].batch());
    if (before != nullptr) {
      ASSERT_EQ(Copy(before->Wait()), expected[of_before]) << "step " << i;
    }
    before = std::move(now);
    of_before = which;
  }
}

TEST_P(CpuEngineTest, ALazyTensorMayDieBeforeItIsReady) {
  const PackedSequences batch = Sequences({100, 100}, 1);
  const std::vector<float> expected = Copy(engine_->Step(batch.batch())->Wait());
  for (int i = 0; i < 20; ++i) engine_->Step(batch.batch());
  auto first = engine_->Step(batch.batch());
  auto second = engine_->Step(batch.batch());
  first.reset();  // Out of order.
  first = engine_->Step(batch.batch());
  EXPECT_EQ(Copy(second->Wait()), expected);
  EXPECT_EQ(Copy(first->Wait()), expected);
  EXPECT_TRUE(first->Ready());
}

TEST_P(CpuEngineTest, AnotherThreadMayWait) {
  const PackedSequences batch = Sequences({64, 30}, 1);
  const std::vector<float> expected = Copy(engine_->Step(batch.batch())->Wait());
  for (int i = 0; i < 20; ++i) {
    auto lazy = engine_->Step(batch.batch());
    std::thread([lazy = std::move(lazy), &expected] {
      EXPECT_EQ(Copy(lazy->Wait()), expected);
    }).join();
  }
}

TEST_P(CpuEngineTest, TheBatchIsCopied) {
  PackedSequences batch = Sequences({64, 30}, 1);
  const std::vector<float> expected = Copy(engine_->Step(batch.batch())->Wait());
  const auto lazy = engine_->Step(batch.batch());
  std::fill(batch.ids.begin(), batch.ids.end(), 5);
  std::fill(batch.cu_seqlens.begin(), batch.cu_seqlens.end(), 0);
  EXPECT_EQ(Copy(lazy->Wait()), expected);
}

INSTANTIATE_TEST_SUITE_P(Workers, CpuEngineTest, testing::Values(1, 2, 3));

TEST(MakeCpuEngineTest, SaysWhatItRunsWith) {
  const auto engine = MakeCpuEngine(Folder("bert-cls"), Options(1)).value();
  EXPECT_EQ(engine->info().device, "cpu");
  EXPECT_EQ(engine->info().dtype, "float32");
  EXPECT_EQ(engine->info().isa, cpu::IsaName(*cpu::DetectIsa()));
  EXPECT_EQ(engine->steps_in_flight_max(), 2);
  EXPECT_GT(engine->info().memory_bytes, 0);
}

TEST(MakeCpuEngineTest, RefusesAnInstructionSetByName) {
  EngineOptions options = Options(1);
  options.isa = "sse2";
  EXPECT_THAT(std::string(MakeCpuEngine(Folder("bert-cls"), options).status().message()),
              HasSubstr("--isa sse2"));
}

}  // namespace
}  // namespace rose
