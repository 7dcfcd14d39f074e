#include "ivy/job/run_chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>

#include "ivy/http/cause.h"
#include "ivy/job/fake_model.h"

namespace ivy {
namespace {

using ::testing::HasSubstr;

/// Answers before Embed returns, on the caller's thread.
class ImmediateClient final : public wire::InferenceClient {
 public:
  explicit ImmediateClient(const FakeClient& like) : like_(like) {}
  void Embed(wire::InferenceRequest request, Callback done) override {
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
  absl::StatusOr<EmbedAnswer> Run(const std::vector<int>& lengths, ChunkOptions options = {}) {
    std::promise<absl::StatusOr<EmbedAnswer>> promise;
    Start(lengths, options, [&](auto answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  }

  void Start(const std::vector<int>& lengths, const ChunkOptions& options, EmbedDone done) {
    table_ = *ModelTable::Create({served_ ? *served_ : model_.Served()}, true);
    job_ = std::make_shared<EmbedJob>();
    job_->model = &table_->first();
    job_->dimensions = 8;
    job_->cancel = std::make_shared<wire::CancelToken>();
    sequences_.clear();
    for (const int length : lengths) {
      Sequence sequence;
      for (int i = 0; i < length; ++i)
        sequence.ids.push_back(static_cast<int>(sequences_.size()) + i);
      sequences_.push_back(std::move(sequence));
    }
    job_->inputs.resize(sequences_.size());
    RunChunks(job_, sequences_, options, std::move(done));
  }

  void ExpectRight(const EmbedAnswer& answer) {
    ASSERT_EQ(static_cast<std::size_t>(answer.rows), sequences_.size());
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      const std::vector<float> row(answer.values.begin() + static_cast<std::ptrdiff_t>(i * 8),
                                   answer.values.begin() + static_cast<std::ptrdiff_t>(i * 8 + 8));
      EXPECT_EQ(row, model_.client.VectorOf(sequences_[i].ids)) << i;
    }
  }

  FakeModel model_;
  std::optional<ServedModel> served_;
  std::unique_ptr<ModelTable> table_;
  std::shared_ptr<EmbedJob> job_;
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

TEST_F(RunChunksTest, ChunkSizeAndWindowAreOptions) {
  const auto answer = Run(std::vector<int>(12, 10), {.chunk_tokens = 20, .window = 1});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(model_.client.requests().size(), 6U);
  EXPECT_EQ(model_.client.outstanding_max(), 1U);
}

TEST_F(RunChunksTest, AnswersAtOnceDoNotRecurse) {
  ImmediateClient immediate(model_.client);
  served_ = model_.Served();
  served_->client = &immediate;
  const auto answer = Run(std::vector<int>(200'000, 20));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->rows, 200'000);
}

TEST_F(RunChunksTest, FailsWholeOnceAndCancelsTheRest) {
  model_.client.Hold();
  model_.client.Refuse({absl::OkStatus(), absl::InternalError("sequence 0: boom")});
  std::atomic<int> calls{0};
  std::promise<absl::Status> promise;
  Start(std::vector<int>(10, 30), {}, [&](auto answer) {
    ++calls;
    promise.set_value(answer.status());
  });
  const absl::Status status = promise.get_future().get();
  EXPECT_EQ(CauseOf(status), Cause::kBackend);
  EXPECT_THAT(std::string(status.message()), HasSubstr("sequence 0: boom (counted among input["));
  EXPECT_TRUE(job_->cancel->cancelled());
  model_.client.Release();
  model_.client.AwaitAnswers(2);
  EXPECT_EQ(model_.client.requests().size(), 2U);
  EXPECT_EQ(calls, 1);
}

TEST_F(RunChunksTest, FullQueueSlowsAJobDownThatIsUnderWay) {
  model_.client.Hold();
  model_.client.Refuse({absl::OkStatus(), absl::ResourceExhaustedError("full")});
  std::promise<absl::StatusOr<EmbedAnswer>> promise;
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
