// Random traffic on a virtual clock, held against a plain list of what waits, for both schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
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
  int64_t own_tokens = 0;     ///< Of its job, up to its last, as it came.
  int64_t tokens_passed = 0;  ///< Taken, of others and itself, since it came.
  int64_t rivals = 0;         ///< Jobs that waited then or came since, its own among them.
  std::shared_ptr<wire::CancelToken> cancel{};
  std::optional<common::TimePoint> dead_since{};  ///< First batch formed while it waited, dead.
};

class Trace {
 public:
  Trace(Schedule schedule, uint32_t seed)
      : schedule_(schedule),
        random_(seed),
        budget_tokens_(Pick(1, 200)),
        limits_{.max_queue_tokens = Pick(100, 5000), .max_concurrent_requests = Pick(5, 200)},
        queue_(limits_, schedule),
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
    asked.job = Pick(0, 5);
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
    waiting_tokens_ = tokens;
    waiting_sequences_ = sequences;
    Know(*request, std::move(cancel));
  }

  void Know(Request& request, std::shared_ptr<wire::CancelToken> cancel) {
    Known known = {.cancel = std::move(cancel)};
    known.own_tokens = request.tokens();
    known.rivals = 1;
    std::set<uint64_t> jobs;
    for (const Request* other : waiting_) {
      if (SameJob(*other, request)) {
        known.own_tokens += other->tokens() - other->tokens_taken;
      } else if (other->asked.job == 0 || jobs.insert(other->asked.job).second) {
        ++known.rivals;
      }
    }
    // Counted once more where its job waits already, which only loosens the bound.
    for (Request* other : waiting_) known_[other].rivals += SameJob(*other, request) ? 0 : 1;
    waiting_.push_back(&request);
    known_[&request] = std::move(known);
  }

  bool SameJob(const Request& a, const Request& b) const {
    if (schedule_ == Schedule::kFcfs || &a == &b) return true;
    return a.asked.job != 0 && a.asked.job == b.asked.job;
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

  /// Slices are the living requests' next sequences; of a job the oldest request's, nobody of it
  /// passed over.
  void CheckSlices(const BatchPlan& plan) {
    std::set<const Request*> sliced;
    for (const Slice& slice : plan.slices) {
      EXPECT_TRUE(sliced.insert(slice.request).second) << "two slices of a request";
      EXPECT_FALSE(Dead(*slice.request));
      Known& known = known_.at(slice.request);
      EXPECT_EQ(slice.sequence, known.sequences_seen);
      const auto& lengths = slice.request->asked.lengths;
      const auto first = lengths.begin() + slice.sequence;
      EXPECT_EQ(slice.token, std::accumulate(lengths.begin(), first, int64_t{0}));
      EXPECT_EQ(slice.tokens, std::accumulate(first, first + slice.sequences, int64_t{0}));
      known.sequences_seen += slice.sequences;
      waiting_tokens_ -= slice.tokens;
      waiting_sequences_ -= slice.sequences;
    }
    for (const Slice& slice : plan.slices) {
      for (const Request* older : waiting_) {
        if (older == slice.request) break;
        if (!SameJob(*older, *slice.request) || Dead(*older)) continue;
        EXPECT_EQ(known_.at(older).sequences_seen, older->sequences()) << "out of order";
      }
    }
    for (const Request* request : waiting_) known_.at(request).tokens_passed += plan.tokens;
  }

  void CheckEnded(const BatchPlan& plan) {
    for (const Request& request : plan.ended) {
      Known& known = known_.at(&request);
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
      Known& known = known_.at(request);
      EXPECT_LT(known.tokens_passed, TokensBefore(known)) << "starved";
      if (!Dead(*request)) continue;
      if (!known.dead_since) known.dead_since = clock_.Now();
      EXPECT_LT(clock_.Now() - *known.dead_since, BatchFormer::kSweepInterval) << "not swept";
    }
    if (waiting_.empty()) return;
    const Request& next = queue_.front();
    EXPECT_TRUE(schedule_ != Schedule::kFcfs || &next == waiting_.front());
    EXPECT_FALSE(Dead(next)) << "the batch came to it and left it";
    const int64_t next_tokens = next.asked.lengths[next.sequences_taken];
    EXPECT_GT(plan.tokens + next_tokens, budget_tokens_) << "there was room for it";
    EXPECT_FALSE(plan.slices.empty());
  }

  /// How many tokens are taken before and with the last of a request, at most: of its own job those
  /// that came before; fair: of each other job as many, but for a few sequences.
  int64_t TokensBefore(const Known& known) const {
    if (schedule_ == Schedule::kFcfs) return known.own_tokens;
    const int64_t longest = std::max<int64_t>(80, budget_tokens_ + 50);
    return known.rivals * (known.own_tokens + 4 * longest);
  }

  const Schedule schedule_;
  std::mt19937 random_;
  const int64_t budget_tokens_;
  const QueueLimits limits_;
  common::VirtualClock clock_;
  RequestQueue queue_;
  BatchFormer former_;

  std::deque<Request*> waiting_;
  int64_t waiting_tokens_ = 0;
  int64_t waiting_sequences_ = 0;
  std::map<const Request*, Known> known_;
  RequestList answered_;  ///< Kept, so that no address is used twice.
  int64_t batches_ = 0;
};

class BatchFormerTrace : public ::testing::TestWithParam<Schedule> {};

TEST_P(BatchFormerTrace, RandomTrafficKeepsOrderBoundsAndLosesNothing) {
  int64_t batches = 0;
  for (uint32_t seed = 0; seed < kTraces && !HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Trace trace(GetParam(), seed);
    trace.Run();
    batches += trace.batches();
  }
  std::printf("seeds 0 to %d: %d events each, %lld batches formed\n", kTraces - 1, kEventsPerTrace,
              static_cast<long long>(batches));
}

INSTANTIATE_TEST_SUITE_P(Schedules, BatchFormerTrace,
                         ::testing::Values(Schedule::kFcfs, Schedule::kFair),
                         [](const auto& schedule) { return ScheduleName(schedule.param); });

}  // namespace
}  // namespace tulip
