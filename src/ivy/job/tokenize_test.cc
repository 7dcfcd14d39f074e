#include "ivy/job/tokenize.h"

#include <gtest/gtest.h>

#include <future>

#include "ivy/job/fake_model.h"

namespace ivy {
namespace {

using Sequences = absl::StatusOr<std::vector<Sequence>>;

class TokenizeTest : public ::testing::Test {
 protected:
  TokenizeTest() : table_(*ModelTable::Create({model_.Served()}, true)) {}

  std::shared_ptr<Job> JobOf(std::vector<Input> inputs) const {
    auto job = std::make_shared<Job>();
    job->model = &table_->first();
    job->inputs = std::move(inputs);
    job->max_length = 64;
    job->cancel = std::make_shared<wire::CancelToken>();
    return job;
  }

  void SetPrompt(Job& job, std::size_t bytes) const {
    job.prompt = MakePrompt(job.model->served, std::string(bytes, 'p'));
  }

  Sequences Run(const std::shared_ptr<Job>& job) {
    std::promise<Sequences> promise;
    Tokenize(job, pool_, [&](Sequences sequences) { promise.set_value(std::move(sequences)); });
    return promise.get_future().get();
  }

  FakeModel model_;
  std::unique_ptr<ModelTable> table_;
  TextPool pool_{2, 100};
};

TEST_F(TokenizeTest, CountsWhatStandsInFrontOfEach) {
  const auto query = std::make_shared<const std::string>("1234567");
  const auto texts = JobOf({"a", "bc", std::vector<int32_t>{5, 6}});
  EXPECT_EQ(TextBytes(*texts), 3u);
  texts->inputs.pop_back();
  SetPrompt(*texts, 100);
  EXPECT_EQ(TextBytes(*texts), 203u);
  const auto pairs = JobOf({TextPair{query, "abc"}, TextPair{query, ""}});
  pairs->instruction = "12345";
  EXPECT_EQ(TextBytes(*pairs), 7u + 3 + 7 + 2 * 5);
}

TEST_F(TokenizeTest, ALongPromptOfShortTextsIsWorkForThePool) {
  const auto job = JobOf({"a", "b", "c"});
  SetPrompt(*job, std::size_t{100} << 10);
  const Sequences sequences = Run(job);
  ASSERT_TRUE(sequences.ok()) << sequences.status();
  ASSERT_EQ(sequences->size(), 3u);
  for (const Sequence& sequence : *sequences) EXPECT_EQ(sequence.ids.size(), 3u);
}

TEST_F(TokenizeTest, ALongPromptThatNobodyWaitsForIsDropped) {
  const auto job = JobOf({"a", "b", "c"});
  SetPrompt(*job, std::size_t{100} << 10);
  job->cancel->Cancel();
  EXPECT_EQ(Run(job).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace ivy
