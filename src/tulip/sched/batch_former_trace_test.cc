// Random traffic on a virtual clock, held against a plain list of what must come next.
#include <gtest/gtest.h>

#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "tulip/sched/batch_former.h"
#include "tulip/sched/make_request.h"

namespace tulip {
namespace {

constexpr int kTraces = 300;
constexpr int kEventsPerTrace = 400;

/// What the test knows of one request that was pushed.
struct Known {
  int64_t sequences_seen = 0;  ///< In slices so far.
  bool ended = false;
  int forms_left = 0;  ///< It must have ended when this many more batches are formed.
  std::shared_ptr<wire::CancelToken> cancel{};
  std::optional<common::TimePoint> dead_since{};  ///< First batch formed while it waited, dead.
};

class Trace {
 public:
  explicit Trace(uint32_t seed)
      : random_(seed),
        budget_tokens_(Pick(1, 200)),
        limits_{.max_queue_tokens = Pick(100, 5000), .max_concurrent_requests = Pick(5, 200)},
        queue_(limits_),
        former_(budget_tokens_, budget_tokens_) {}

  void Run() {
    for (int i = 0; i < kEventsPerTrace && !::testing::Test::HasFailure(); ++i) {
      switch (Pick(0, 5)) {
        case 0:
        case 1:
          Push();
          break;
        case 2:
          CancelOne();
          break;
        case 3:
          FailOne();
          break;
        case 4:
          clock_.Advance(std::chrono::milliseconds(Pick(0, 20)));
          break;
        default:
          Form();
      }
    }
    while (!queue_.empty() && !::testing::Test::HasFailure()) Form();
    for (const auto& [request, known] : known_) EXPECT_TRUE(known.ended) << "a request was lost";
  }

  int64_t batches() const { return batches_; }

 private:
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  void Push() {
    std::vector<int32_t> lengths(Pick(1, Pick(0, 9) == 0 ? 40 : 4));
    for (int32_t& length : lengths) length = static_cast<int32_t>(Pick(1, 80));
    if (Pick(0, 19) == 0) lengths[0] = static_cast<int32_t>(budget_tokens_ + Pick(1, 50));
    wire::InferenceRequest asked = MakeRequest(lengths);
    auto cancel = std::make_shared<wire::CancelToken>();
    asked.cancel = cancel;
    if (Pick(0, 2) == 0) {
      asked.deadline = clock_.Now() + std::chrono::milliseconds(Pick(0, 60));
    }
    RequestList one = ListOfOne(std::move(asked), clock_.Now());
    Request* request = &one.front();
    const int64_t tokens = waiting_tokens_ + request->tokens();
    const int64_t sequences = waiting_sequences_ + request->sequences();
    const bool fits =
        tokens <= limits_.max_queue_tokens && sequences <= limits_.max_concurrent_requests;
    ASSERT_EQ(queue_.Push(one).ok(), fits) << "the bound is exact";
    if (!fits) return;
    waiting_.push_back(request);
    waiting_tokens_ = tokens;
    waiting_sequences_ = sequences;
    // A batch and the first sequence of the next exceed the budget together, so two batches carry
    // more than one budget: nothing that arrives later can put this request off.
    known_[request] = {.forms_left = static_cast<int>(2 * (tokens / budget_tokens_ + 1)),
                       .cancel = std::move(cancel)};
  }

  void CancelOne() {
    if (waiting_.empty() || Pick(0, 3) != 0) return;
    known_[waiting_[Pick(0, waiting_.size() - 1)]].cancel->Cancel();
  }

  /// As the completion side does: only what has run can fail.
  void FailOne() {
    for (Request* request : waiting_) {
      if (request->sequences_taken > 0 && Pick(0, 3) == 0) request->failed = true;
    }
  }

  bool Dead(const Request& request) const {
    return request.failed || request.asked.cancel->cancelled() ||
           request.asked.deadline <= clock_.Now();
  }

  void Form() {
    BatchPlan plan;
    former_.Form(queue_, clock_.Now(), plan);
    ++batches_;
    CheckBudget(plan);
    CheckSlices(plan);
    CheckEnded(plan);
    CheckQueue(plan);
    answered_.splice(answered_.end(), plan.ended);
  }

  void CheckBudget(const BatchPlan& plan) const {
    int64_t tokens = 0;
    int64_t sequences = 0;
    for (const Slice& slice : plan.slices) {
      EXPECT_GT(slice.sequences, 0);
      tokens += slice.tokens;
      sequences += slice.sequences;
    }
    EXPECT_EQ(plan.tokens, tokens);
    EXPECT_EQ(plan.sequences, sequences);
    EXPECT_TRUE(sequences <= 1 || tokens <= budget_tokens_) << tokens << " tokens";
  }

  /// Slices are the living requests' next sequences, oldest request first, nobody passed over.
  void CheckSlices(const BatchPlan& plan) {
    size_t at = 0;
    for (const Slice& slice : plan.slices) {
      while (at < waiting_.size() && Dead(*waiting_[at])) ++at;
      ASSERT_LT(at, waiting_.size());
      ASSERT_EQ(slice.request, waiting_[at]) << "out of order";
      Known& known = known_[slice.request];
      EXPECT_EQ(slice.sequence, known.sequences_seen);
      const auto& lengths = slice.request->asked.lengths;
      const auto first = lengths.begin() + slice.sequence;
      EXPECT_EQ(slice.token, std::accumulate(lengths.begin(), first, int64_t{0}));
      EXPECT_EQ(slice.tokens, std::accumulate(first, first + slice.sequences, int64_t{0}));
      known.sequences_seen += slice.sequences;
      waiting_tokens_ -= slice.tokens;
      waiting_sequences_ -= slice.sequences;
      ++at;
    }
  }

  void CheckEnded(const BatchPlan& plan) {
    for (const Request& request : plan.ended) {
      Known& known = known_.at(const_cast<Request*>(&request));
      EXPECT_FALSE(known.ended) << "ended twice";
      known.ended = true;
      EXPECT_EQ(request.ending == Ending::kTaken, known.sequences_seen == request.sequences());
      EXPECT_EQ(request.ending == Ending::kTaken, !Dead(request));
      for (int64_t i = known.sequences_seen; i < request.sequences(); ++i) {
        waiting_tokens_ -= request.asked.lengths[i];
        --waiting_sequences_;
      }
    }
    std::erase_if(waiting_, [&](Request* request) { return known_[request].ended; });
  }

  void CheckQueue(const BatchPlan& plan) {
    EXPECT_EQ(queue_.tokens(), waiting_tokens_);
    EXPECT_EQ(queue_.sequences(), waiting_sequences_);
    EXPECT_EQ(queue_.empty(), waiting_.empty());
    for (Request* request : waiting_) {
      Known& known = known_[request];
      EXPECT_GT(--known.forms_left, 0) << "starved";
      if (!Dead(*request)) continue;
      if (!known.dead_since) known.dead_since = clock_.Now();
      EXPECT_LT(clock_.Now() - *known.dead_since, BatchFormer::kSweepInterval) << "not swept";
    }
    if (waiting_.empty()) return;
    const Request& next = *waiting_.front();
    EXPECT_FALSE(Dead(next)) << "the batch came to it and left it";
    const int64_t next_tokens = next.asked.lengths[next.sequences_taken];
    EXPECT_GT(plan.tokens + next_tokens, budget_tokens_) << "there was room for it";
    EXPECT_FALSE(plan.slices.empty());
  }

  std::mt19937 random_;
  const int64_t budget_tokens_;
  const QueueLimits limits_;
  common::VirtualClock clock_;
  RequestQueue queue_;
  BatchFormer former_;

  std::deque<Request*> waiting_;
  int64_t waiting_tokens_ = 0;
  int64_t waiting_sequences_ = 0;
  std::map<Request*, Known> known_;
  RequestList answered_;  ///< Kept, so that no address is used twice.
  int64_t batches_ = 0;
};

TEST(BatchFormerTrace, RandomTrafficKeepsOrderBoundsAndLosesNothing) {
  int64_t batches = 0;
  for (uint32_t seed = 0; seed < kTraces && !HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Trace trace(seed);
    trace.Run();
    batches += trace.batches();
  }
  std::printf("seeds 0 to %d: %d events each, %lld batches formed\n", kTraces - 1, kEventsPerTrace,
              static_cast<long long>(batches));
}

}  // namespace
}  // namespace tulip
