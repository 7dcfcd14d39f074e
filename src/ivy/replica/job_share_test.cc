#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "common/log.h"
#include "ivy/job/fake_model.h"
#include "ivy/job/run_chunks.h"
#include "ivy/replica/replica_set.h"
#include "ivy/replica/virtual_replicas.h"

namespace ivy {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAreArray;

/// A job over the real splitter and the real set, at replicas that take 2 µs a token.
class JobShareTest : public ::testing::Test {
 protected:
  void Start(int replicas, uint64_t seed) {
    wire::ModelInfo info = model_.client.info();
    info.saturation_tokens = 16'384;
    for (int i = 0; i < replicas; ++i) {
      addresses_.push_back("replica" + std::to_string(i) + ":1");
      tulips_[addresses_.back()].info = std::make_shared<wire::ModelInfo>(info);
      tulips_[addresses_.back()].us_per_token = 2;
    }
    set_ = std::make_unique<ReplicaSet>(
        ReplicaSetOptions{.model = "fake", .clock = world_.clock(), .seed = seed},
        tulips_.Factory(), metrics_);
    set_->SetAddresses(addresses_);
    set_->Tick();
    ServedModel served = model_.Served();
    served.client = set_.get();
    table_ = *ModelTable::Create({served}, true);
  }

  void Run(const std::vector<int>& lengths) {
    job_ = std::make_shared<Job>();
    job_->model = &table_->first();
    job_->cancel = std::make_shared<wire::CancelToken>();
    job_->inputs.resize(lengths.size());
    sequences_.clear();
    for (const int length : lengths) {
      Sequence sequence;
      sequence.ids.resize(static_cast<std::size_t>(length));
      std::iota(sequence.ids.begin(), sequence.ids.end(), static_cast<int>(sequences_.size()));
      sequences_.push_back(std::move(sequence));
    }
    answer_ = absl::UnknownError("none yet");
    RunChunks(job_, sequences_, {}, stages_, [this](auto answer) {
      EXPECT_EQ(answer_.status().code(), absl::StatusCode::kUnknown) << "answered twice";
      answer_ = std::move(answer);
    });
  }
  void RunFor(common::Duration time) {
    for (const common::TimePoint end = world_.now() + time; world_.now() < end;) {
      world_.RunFor(milliseconds(50));
      set_->Tick();
    }
  }
  void ExpectRight() {
    ASSERT_TRUE(answer_.ok()) << answer_.status();
    ASSERT_EQ(answer_->inputs(), sequences_.size());
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      ASSERT_THAT(answer_->Dense(i), ElementsAreArray(model_.client.VectorOf(sequences_[i].ids)))
          << i;
    }
  }
  /// The biggest share of the tokens ÷ an even one.
  double Unevenness() {
    int64_t most = 0;
    int64_t total = 0;
    for (const std::string& address : addresses_) {
      most = std::max(most, tulips_[address].answered_tokens);
      total += tulips_[address].answered_tokens;
    }
    return static_cast<double>(most) * static_cast<double>(addresses_.size()) /
           static_cast<double>(total);
  }
  /// Rows as FakeClient would give them.
  wire::InferenceResult Answer(const wire::InferenceRequest& request) const {
    wire::InferenceResult result = AnswerOf(request);
    result.dense = {.columns = model_.client.Info().dimension, .values = {}};
    auto id = request.ids.begin();
    for (const int32_t length : request.lengths) {
      for (const float value : model_.client.VectorOf({id, id + length})) {
        result.dense.values.push_back(value);
      }
      id += length;
    }
    return result;
  }
  static std::vector<int> Lengths(std::size_t items, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<int> lengths(items);
    for (int& length : lengths) length = static_cast<int>(1 + random() % 512);
    return lengths;
  }

  FakeModel model_;
  common::Metrics metrics_;
  const StageMetrics stages_{metrics_};
  VirtualWorld world_;
  VirtualTulips tulips_{world_, [this](const auto& request) { return Answer(request); }};
  std::vector<std::string> addresses_;
  std::unique_ptr<ReplicaSet> set_;
  std::unique_ptr<ModelTable> table_;
  std::shared_ptr<Job> job_;
  std::vector<Sequence> sequences_;
  absl::StatusOr<ivy::Answer> answer_ = absl::UnknownError("none yet");
};

TEST_F(JobShareTest, TenThousandItemsInOrderAndWithinFivePercentOfEven) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    addresses_.clear();
    Start(4, seed);
    for (const std::string& address : addresses_) tulips_[address].answered_tokens = 0;
    Run(Lengths(10'000, seed));
    RunFor(std::chrono::seconds(10));
    ExpectRight();
    EXPECT_LE(Unevenness(), 1.05);
  }
}

TEST_F(JobShareTest, WindowFollowsTheLiveReplicas) {
  Start(4, 1);
  Run(Lengths(10'000, 1));
  const auto under_way = [&] {
    int64_t tokens = 0;
    for (const std::string& address : addresses_) tokens += tulips_[address].load_tokens;
    return static_cast<double>(tokens) / 16'384;
  };
  EXPECT_NEAR(under_way(), 8, 0.5);
  tulips_[addresses_[0]].serving = tulips_[addresses_[1]].serving = false;
  set_->Tick();
  RunFor(milliseconds(500));
  EXPECT_NEAR(under_way(), 4, 0.5);
  RunFor(std::chrono::seconds(10));
  ExpectRight();
}

TEST_F(JobShareTest, JobsAreWholeAndInOrderWhateverHappens) {
  spdlog::set_level(spdlog::level::off);
  int answered = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    addresses_.clear();
    Start(1 + static_cast<int>(random() % 5), seed);
    for (int job = 0; job < 4; ++job) {
      Run(Lengths(1 + random() % 400, random()));
      for (int i = 0; i < 10; ++i) {
        VirtualTulip& tulip = tulips_[addresses_[random() % addresses_.size()]];
        tulip.mode = static_cast<VirtualTulip::Mode>(random() % 3 > 0 ? 0 : random() % 5);
        tulip.serving = random() % 5 > 0;
        RunFor(milliseconds(50 * (1 + random() % 4)));
      }
      RunFor(std::chrono::seconds(25));
      ASSERT_NE(answer_.status().code(), absl::StatusCode::kUnknown) << "no answer";
      if (answer_.ok()) ExpectRight();
      answered += answer_.ok() ? 1 : 0;
    }
  }
  spdlog::set_level(spdlog::level::info);
  EXPECT_GT(answered, 200);
}

}  // namespace
}  // namespace ivy
