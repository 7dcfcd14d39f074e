#include "ivy/replica/replica_set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ivy/replica/virtual_replicas.h"

namespace ivy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Mode = VirtualTulip::Mode;

class ReplicaSetTest : public ::testing::Test {
 protected:
  struct Outcome {
    int calls = 0;
    absl::StatusOr<wire::InferenceResult> result = absl::UnknownError("none yet");
  };

  ReplicaSetTest() {
    info_.dimension = 1;
    info_.outputs = hub::Output::kDense;
    info_.fingerprint = "f00d";
    info_.vocabulary_size = 1000;
    info_.max_length = 512;
    expected_ = info_;
  }

  void Start(const std::vector<std::string>& addresses) {
    for (const std::string& address : addresses) {
      if (!tulips_[address].info->dimension) Tell(address, info_);
    }
    set_ = std::make_unique<ReplicaSet>(
        ReplicaSetOptions{.model = "m", .expected = expected_, .clock = world_.clock()},
        tulips_.Factory(), metrics_);
    set_->SetAddresses(addresses);
    set_->Tick();
  }
  void Tell(const std::string& address, const wire::ModelInfo& info) {
    tulips_[address].info = std::make_shared<wire::ModelInfo>(info);
  }

  std::shared_ptr<Outcome> Infer(int32_t id,
                                 common::TimePoint deadline = common::TimePoint::max()) {
    wire::InferenceRequest request;
    request.ids = {id, 7};
    request.lengths = {2};
    request.deadline = deadline;
    request.cancel = cancel_;
    auto outcome = std::make_shared<Outcome>();
    set_->Infer(std::move(request), [outcome](auto result) {
      ++outcome->calls;
      outcome->result = std::move(result);
    });
    return outcome;
  }
  /// As ReplicaKeeper does.
  void RunFor(common::Duration time) {
    for (const common::TimePoint end = world_.now() + time; world_.now() < end;) {
      world_.RunFor(std::min<common::Duration>(milliseconds(50), end - world_.now()));
      set_->Tick();
    }
  }
  void ExpectAnswer(const Outcome& outcome, int32_t id) {
    ASSERT_EQ(outcome.calls, 1);
    ASSERT_TRUE(outcome.result.ok()) << outcome.result.status();
    EXPECT_THAT(outcome.result->dense.values, ElementsAre(static_cast<float>(id)));
  }
  void ExpectError(const Outcome& outcome, absl::StatusCode code) {
    ASSERT_EQ(outcome.calls, 1);
    EXPECT_EQ(outcome.result.status().code(), code) << outcome.result.status();
  }

  /// As the metrics tell.
  std::string StateOf(const std::string& address) {
    const std::string text = metrics_.Text();
    for (int i = 0; i < kReplicaStates; ++i) {
      const char* const state = ReplicaStateName(static_cast<ReplicaState>(i));
      const std::string line = fmt::format(
          "parterre_replica_state{{model=\"m\",replica=\"{}\",state=\"{}\"}} 1", address, state);
      if (text.find(line) != std::string::npos) return state;
    }
    return "none";
  }

  wire::ModelInfo info_;
  wire::ModelInfo expected_;
  common::Metrics metrics_;
  VirtualWorld world_;
  VirtualTulips tulips_{world_};
  std::unique_ptr<ReplicaSet> set_;
  std::shared_ptr<wire::CancelToken> cancel_;
};

TEST_F(ReplicaSetTest, AnswersThroughAReplica) {
  Start({"a:1", "b:1"});
  EXPECT_TRUE(set_->Healthy());
  EXPECT_EQ(set_->Engines(), 2);
  EXPECT_EQ(set_->Info().dimension, 1);
  const auto outcome = Infer(5);
  EXPECT_EQ(outcome->calls, 0);
  RunFor(milliseconds(50));
  ExpectAnswer(*outcome, 5);
}

TEST_F(ReplicaSetTest, AReplicaOfTwoEnginesCountsAsTwo) {
  wire::ModelInfo two = info_;
  two.engines = 2;
  Tell("b:1", two);
  Start({"a:1", "b:1"});
  EXPECT_EQ(set_->Engines(), 3);
  tulips_["b:1"].serving = false;
  RunFor(milliseconds(50));
  EXPECT_EQ(set_->Engines(), 1);
}

TEST_F(ReplicaSetTest, BrokenReplicaIsReplacedOnce) {
  Start({"a:1", "b:1"});
  tulips_["a:1"].mode = Mode::kBreaks;
  for (int id = 0; id < 20; ++id) {
    const auto outcome = Infer(id);
    RunFor(milliseconds(50));
    ExpectAnswer(*outcome, id);
  }
  tulips_["b:1"].mode = Mode::kBreaks;
  const std::size_t before = tulips_["a:1"].seen.size() + tulips_["b:1"].seen.size();
  ExpectError(*Infer(99), absl::StatusCode::kUnavailable);
  EXPECT_EQ(tulips_["a:1"].seen.size() + tulips_["b:1"].seen.size(), before + 2);
}

TEST_F(ReplicaSetTest, HungReplicaLosesTheChunkAfterItsTime) {
  Start({"a:1", "b:1"});
  tulips_["a:1"].mode = Mode::kHangs;
  std::vector<std::shared_ptr<Outcome>> outcomes;
  for (int id = 0; id < 10; ++id) outcomes.push_back(Infer(id));
  EXPECT_THAT(tulips_["a:1"].seen, Not(IsEmpty()));
  RunFor(milliseconds(10'050));
  for (int id = 0; id < 10; ++id) ExpectAnswer(*outcomes[static_cast<std::size_t>(id)], id);
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(reason="timeout",replica="a:1"})"));
  EXPECT_EQ(set_->Engines(), 1);  // It is ejected.
}

TEST_F(ReplicaSetTest, LateAnswerIsDropped) {
  Start({"a:1", "b:1"});
  for (const char* address : {"a:1", "b:1"}) {
    tulips_[address].us_per_token = 6e6;
    tulips_[address].punctual = false;
  }
  const auto outcome = Infer(5);  // 12 s of work for whoever gets it.
  RunFor(seconds(60));
  ExpectError(*outcome, absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(outcome->result.status().message()),
              HasSubstr("did not answer within 10000 ms"));
  EXPECT_THAT(tulips_["a:1"].seen, ElementsAre(5));
  EXPECT_THAT(tulips_["b:1"].seen, ElementsAre(5));
}

TEST_F(ReplicaSetTest, TheRequestsOwnDeadlineIsNoFaultOfTheReplica) {
  Start({"a:1", "b:1"});
  tulips_["a:1"].mode = tulips_["b:1"].mode = Mode::kHangs;
  for (int id = 0; id < 10; ++id) {
    const auto outcome = Infer(id, world_.now() + milliseconds(300));
    RunFor(milliseconds(350));
    ExpectError(*outcome, absl::StatusCode::kDeadlineExceeded);
  }
  EXPECT_EQ(tulips_["a:1"].seen.size() + tulips_["b:1"].seen.size(), 10U);
  EXPECT_EQ(set_->Engines(), 2);
}

TEST_F(ReplicaSetTest, FullQueueGoesWhereThereIsRoomElseUp) {
  Start({"a:1", "b:1"});
  tulips_["a:1"].mode = Mode::kFull;
  for (int id = 0; id < 10; ++id) {
    const auto outcome = Infer(id);
    RunFor(milliseconds(50));
    ExpectAnswer(*outcome, id);
  }
  tulips_["b:1"].mode = Mode::kFull;
  tulips_["a:1"].seen.clear();
  tulips_["b:1"].seen.clear();
  for (int id = 0; id < 10; ++id) {
    ExpectError(*Infer(id), absl::StatusCode::kResourceExhausted);
  }
  // Once both are known to be full, nobody is asked twice.
  EXPECT_LE(tulips_["a:1"].seen.size() + tulips_["b:1"].seen.size(), 10U + 2);
}

TEST_F(ReplicaSetTest, GarbageIsNoAnswer) {
  Start({"a:1", "b:1"});
  tulips_["a:1"].mode = Mode::kGarbage;
  for (int id = 0; id < 20; ++id) {
    const auto outcome = Infer(id);
    RunFor(milliseconds(50));
    ExpectAnswer(*outcome, id);
  }
  EXPECT_EQ(tulips_["a:1"].seen.size(), 3U);  // Then it is ejected.
}

TEST_F(ReplicaSetTest, CancelledChunkIsNotSentAgain) {
  cancel_ = std::make_shared<wire::CancelToken>();
  Start({"a:1", "b:1"});
  tulips_["a:1"].mode = tulips_["b:1"].mode = Mode::kHangs;
  const auto outcome = Infer(1);
  cancel_->Cancel();
  RunFor(seconds(11));
  EXPECT_EQ(outcome->calls, 1);
  EXPECT_EQ(tulips_["a:1"].seen.size() + tulips_["b:1"].seen.size(), 1U);
}

TEST_F(ReplicaSetTest, NoReplicaNoAnswer) {
  Start({"a:1"});
  tulips_["a:1"].serving = false;
  set_->Tick();
  EXPECT_FALSE(set_->Healthy());
  EXPECT_EQ(set_->Engines(), 1);
  ExpectError(*Infer(1), absl::StatusCode::kUnavailable);
  EXPECT_THAT(tulips_["a:1"].seen, IsEmpty());
  tulips_["a:1"].serving = true;
  set_->Tick();
  EXPECT_TRUE(set_->Healthy());
}

TEST_F(ReplicaSetTest, AnotherModelIsRefusedByName) {
  info_.fingerprint = "beef";
  Tell("a:1", info_);
  info_.fingerprint = "f00d";
  info_.dimension = 2;
  Tell("b:1", info_);
  info_.dimension = 1;
  Start({"a:1", "b:1"});
  EXPECT_FALSE(set_->Ready());
  EXPECT_FALSE(set_->Healthy());
  EXPECT_EQ(set_->Info().fingerprint, expected_.fingerprint);
  EXPECT_EQ(StateOf("a:1"), "refused");
  EXPECT_EQ(StateOf("b:1"), "refused");
  // It comes back as what it should have been.
  Tell("a:1", info_);
  set_->Tick();
  EXPECT_TRUE(set_->Ready());
  EXPECT_EQ(set_->Engines(), 1);
}

TEST_F(ReplicaSetTest, AllGiveWhatTheFirstOneGives) {
  expected_ = {};  // Ivy knows nothing of it.
  info_.pooling = "mean";
  Tell("a:1", info_);
  info_.pooling = "cls";
  Tell("b:1", info_);
  Start({"a:1", "b:1"});
  EXPECT_EQ(StateOf("a:1"), "live");
  EXPECT_EQ(StateOf("b:1"), "refused");
}

TEST_F(ReplicaSetTest, NewOnesJoinAndGoneOnesFinish) {
  Start({"a:1"});
  tulips_["a:1"].us_per_token = 1e6;
  const auto outcome = Infer(1);
  Tell("b:1", info_);
  set_->SetAddresses({"b:1"});
  set_->Tick();
  EXPECT_EQ(StateOf("a:1"), "leaving");
  EXPECT_EQ(StateOf("b:1"), "live");
  EXPECT_EQ(tulips_["a:1"].connections, 1);
  const auto next = Infer(2);
  RunFor(seconds(3));
  ExpectAnswer(*outcome, 1);
  ExpectAnswer(*next, 2);
  EXPECT_THAT(tulips_["b:1"].seen, ElementsAre(2));
  EXPECT_EQ(tulips_["a:1"].connections, 0);
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr(R"(replica="a:1")")));
}

TEST_F(ReplicaSetTest, WhoIsListedAgainBeforeItHasGoneStays) {
  Start({"a:1", "b:1"});
  set_->SetAddresses({"b:1"});
  EXPECT_EQ(StateOf("a:1"), "leaving");
  EXPECT_EQ(StateOf("b:1"), "live");
  set_->SetAddresses({"a:1", "b:1"});
  set_->Tick();
  EXPECT_EQ(StateOf("a:1"), "live");
  EXPECT_EQ(StateOf("b:1"), "live");
  EXPECT_EQ(tulips_["a:1"].connections, 1);
}

TEST_F(ReplicaSetTest, EndsWithWorkUnderWay) {
  Start({"a:1", "b:1"});
  tulips_["a:1"].mode = tulips_["b:1"].mode = Mode::kHangs;
  const auto outcome = Infer(1);
  set_.reset();
  ExpectError(*outcome, absl::StatusCode::kUnavailable);
  world_.RunFor(seconds(20));
  EXPECT_EQ(outcome->calls, 1);
}

TEST_F(ReplicaSetTest, TheReplicaIsToldOfTheTime) {
  Start({"a:1"});
  tulips_["a:1"].mode = Mode::kHangs;
  const auto outcome = Infer(1);
  world_.RunFor(seconds(10));  // Without a tick: it gives up by itself.
  ExpectError(*outcome, absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace ivy
