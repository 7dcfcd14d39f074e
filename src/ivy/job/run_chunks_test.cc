#include "ivy/job/run_chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <set>

#include "ivy/http/cause.h"
#include "ivy/job/fake_model.h"

namespace ivy {
namespace {

using ::testing::ElementsAreArray;

/// Answers before Infer returns, on the caller's thread.
class ImmediateClient final : public wire::InferenceClient {
 public:
  explicit ImmediateClient(const FakeClient& like) : like_(like) {}
  void Infer(wire::InferenceRequest request, Callback done) override {
    wire::InferenceResult result;
    result.sequences = static_cast<int32_t>(request.lengths.size());
    result.dense.columns = like_.Info().dimension;
    result.dense.values.resize(request.lengths.size() * 8, 0.5F);
    done(std::move(result));
  }
  const wire::ModelInfo& Info() const override { return like_.Info(); }
  bool Healthy() const override { return true; }

 private:
  const FakeClient& like_;
};

class RunChunksTest : public ::testing::Test {
 protected:
  absl::StatusOr<Answer> Run(const std::vector<int>& lengths, ChunkOptions options = {}) {
    std::promise<absl::StatusOr<Answer>> promise;
    Start(lengths, options, [&](auto answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  }

  void Start(const std::vector<int>& lengths, const ChunkOptions& options, AnswerDone done) {
    table_ = *ModelTable::Create({served_ ? *served_ : model_.Served()}, true);
    job_ = std::make_shared<Job>();
    job_->model = &table_->first();
    job_->outputs = outputs_;
    job_->cancel = std::make_shared<wire::CancelToken>();
    sequences_.clear();
    for (const int length : lengths) {
      Sequence sequence;
      for (int i = 0; i < length; ++i)
        sequence.ids.push_back(static_cast<int>(sequences_.size()) + i);
      sequences_.push_back(std::move(sequence));
    }
    job_->inputs.resize(sequences_.size());
    RunChunks(job_, sequences_, options, stages_, std::move(done));
  }

  void ExpectRight(const Answer& answer) {
    ASSERT_EQ(answer.inputs(), sequences_.size());
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      EXPECT_THAT(answer.Dense(i), ElementsAreArray(model_.client.VectorOf(sequences_[i].ids)))
          << i;
    }
  }

  common::Metrics metrics_;
  const StageMetrics stages_{metrics_};
  FakeModel model_;
  hub::Outputs outputs_ = hub::Output::kDense;
  std::optional<ServedModel> served_;
  std::unique_ptr<ModelTable> table_;
  std::shared_ptr<Job> job_;
  std::vector<Sequence> sequences_;
};

TEST_F(RunChunksTest, RowsAreJoinedByIndex) {
  const auto answer = Run({3, 30, 1, 16, 9, 31, 2, 2, 40, 5});
  ASSERT_TRUE(answer.ok()) << answer.status();
  ExpectRight(*answer);
  EXPECT_EQ(answer->tokens, 139);
  EXPECT_EQ(answer->queue_us, 1000);
  EXPECT_EQ(answer->compute_us, 2000 * static_cast<int64_t>(model_.client.requests().size()));
  EXPECT_LE(model_.client.outstanding_max(), 2U);
}

TEST_F(RunChunksTest, EveryOutputIsFoundByItsInput) {
  for (const hub::Output output : hub::kAllOutputs) outputs_ |= output;
  model_.Classify({"a", "b", "c"}, hub::ScoreActivation::kSoftmax);
  model_.client.info().dimension = 8;
  model_.Give(outputs_);
  const auto answer = Run({3, 30, 1, 16, 9, 31, 2, 2, 40, 5});
  ASSERT_TRUE(answer.ok()) << answer.status();
  ExpectRight(*answer);
  EXPECT_GT(model_.client.requests().size(), 3U);
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    const std::vector<int32_t>& ids = sequences_[i].ids;
    EXPECT_THAT(answer->Scores(i), ElementsAreArray(model_.client.LogitsOf(ids))) << i;
    EXPECT_THAT(answer->Tokens(i).values, ElementsAreArray(FakeClient::RowsOf(ids, 4))) << i;
    EXPECT_EQ(answer->Tokens(i).rows(), ids.size());
    EXPECT_THAT(answer->Colbert(i).values,
                ElementsAreArray(FakeClient::RowsOf({ids.begin() + 1, ids.end()}, 2)))
        << i;
    const std::map<int32_t, float> weights = FakeClient::WeightsOf(ids);
    const Answer::SparseVector sparse = answer->Sparse(i);
    ASSERT_EQ(sparse.ids.size(), weights.size()) << i;
    for (std::size_t j = 0; j < sparse.ids.size(); ++j) {
      EXPECT_EQ(weights.at(sparse.ids[j]), sparse.weights[j]);
    }
    numbers += 8 + 3 + 4 * ids.size() + 2 * (ids.size() - 1) + 2 * weights.size();
  }
  EXPECT_EQ(answer->size(), numbers);
}

TEST_F(RunChunksTest, TypeIdsTravelWhereAnyInputHasThem) {
  job_ = nullptr;
  const auto plain = Run({2, 3});
  ASSERT_TRUE(plain.ok());
  EXPECT_TRUE(model_.client.requests().back().type_ids.empty());
  sequences_[1].type_ids = {0, 1, 1};
  std::promise<void> done;
  RunChunks(job_, sequences_, {}, stages_, [&](const auto&) { done.set_value(); });
  done.get_future().wait();
  EXPECT_EQ(model_.client.requests().back().type_ids, (std::vector<int32_t>{0, 0, 0, 1, 1}));
}

TEST_F(RunChunksTest, ChunkSizeAndWindowAreOptions) {
  const auto answer = Run(std::vector<int>(12, 10), {.chunk_tokens = 20, .window = 1});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(model_.client.requests().size(), 6U);
  EXPECT_EQ(model_.client.outstanding_max(), 1U);
}

TEST_F(RunChunksTest, ChunksOfAJobShareItsIdAndOneAloneHasNone) {
  ASSERT_TRUE(Run({3}).ok());
  EXPECT_EQ(model_.client.requests().back().job, 0U);
  std::set<uint64_t> jobs;
  for (int i = 0; i < 3; ++i) {
    const std::size_t before = model_.client.requests().size();
    ASSERT_TRUE(Run({30, 30, 30}).ok());
    const auto requests = model_.client.requests();
    ASSERT_EQ(requests.size(), before + 3);
    for (std::size_t chunk = before; chunk < requests.size(); ++chunk) {
      EXPECT_NE(requests[chunk].job, 0U);
      EXPECT_EQ(requests[chunk].job, requests[before].job);
    }
    jobs.insert(requests[before].job);
  }
  EXPECT_EQ(jobs.size(), 3U);
}

TEST_F(RunChunksTest, AnswersAtOnceDoNotRecurse) {
  ImmediateClient immediate(model_.client);
  served_ = model_.Served();
  served_->client = &immediate;
  const auto answer = Run(std::vector<int>(200'000, 20));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->inputs(), 200'000U);
}

TEST_F(RunChunksTest, FailsWholeOnceAndCancelsTheRest) {
  model_.client.Hold();
  model_.client.Refuse({absl::OkStatus(), absl::InternalError("boom")});
  std::atomic<int> calls{0};
  std::promise<absl::Status> promise;
  Start(std::vector<int>(10, 30), {}, [&](auto answer) {
    ++calls;
    promise.set_value(answer.status());
  });
  const absl::Status status = promise.get_future().get();
  EXPECT_EQ(CauseOf(status), Cause::kBackend);
  EXPECT_EQ(status.message(), "boom");
  EXPECT_EQ(ParamOf(status), "");
  EXPECT_TRUE(job_->cancel->cancelled());
  model_.client.Release();
  model_.client.AwaitAnswers(2);
  EXPECT_EQ(model_.client.requests().size(), 2U);
  EXPECT_EQ(calls, 1);
}

// A replica counts sequences within a chunk, and chunks are not in the order of the inputs.
TEST_F(RunChunksTest, Bug31_TheSequenceAtFaultIsNamedAsTheInputItWas) {
  model_.client.Hold();
  model_.client.Refuse({absl::OkStatus(), absl::InternalError("sequence 1: the model gave NaN")});
  std::promise<absl::Status> promise;
  Start({9, 3, 1, 16, 9, 12, 2, 2, 14, 5}, {},
        [&](auto answer) { promise.set_value(answer.status()); });
  const absl::Status status = promise.get_future().get();
  const wire::InferenceRequest chunk = model_.client.requests().at(1);
  // The first id of a sequence is the number of its input.
  const int32_t input = chunk.ids.at(static_cast<std::size_t>(chunk.lengths.at(0)));
  EXPECT_NE(input, 1);
  EXPECT_EQ(CauseOf(status), Cause::kBackend);
  EXPECT_EQ(ParamOf(status), "input[" + std::to_string(input) + "]");
  EXPECT_EQ(status.message(), "the model gave NaN");
  model_.client.Release();
}

TEST_F(RunChunksTest, ASequenceThatTheChunkDoesNotHaveIsNoInput) {
  model_.client.Refuse({absl::InternalError("sequence 2: boom")});
  const absl::Status status = Run({1, 1}).status();
  EXPECT_EQ(status.message(), "sequence 2: boom");
  EXPECT_EQ(ParamOf(status), "");
}

TEST_F(RunChunksTest, FullQueueSlowsAJobDownThatIsUnderWay) {
  model_.client.Hold();
  model_.client.Refuse({absl::OkStatus(), absl::ResourceExhaustedError("full")});
  std::promise<absl::StatusOr<Answer>> promise;
  Start(std::vector<int>(10, 30), {}, [&](auto result) { promise.set_value(std::move(result)); });
  model_.client.AwaitAnswers(1);  // the refusal; the first chunk is still under way
  model_.client.Release();
  const auto answer = promise.get_future().get();
  ASSERT_TRUE(answer.ok()) << answer.status();
  ExpectRight(*answer);
  EXPECT_EQ(model_.client.requests().size(), 11U);
}

TEST_F(RunChunksTest, FullQueueRefusesAJobThatHasNothingUnderWay) {
  model_.client.Refuse({absl::ResourceExhaustedError("full")});
  EXPECT_EQ(CauseOf(Run({5}).status()), Cause::kOverloaded);
}

}  // namespace
}  // namespace ivy
