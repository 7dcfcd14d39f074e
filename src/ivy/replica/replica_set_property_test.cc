#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "common/log.h"
#include "ivy/replica/replica_set.h"
#include "ivy/replica/virtual_replicas.h"

namespace ivy {
namespace {

using common::Duration;
using common::TimePoint;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Mode = VirtualTulip::Mode;

constexpr Duration kChunkTimeout = seconds(2);
constexpr Duration kTick = milliseconds(50);

/// A set of replicas that break, hang, fill up, answer garbage, leave and come back as the seed has
/// it, under requests with and without deadlines, some of them cancelled.
class RandomLife {
 public:
  explicit RandomLife(uint64_t seed) : random_(seed) {
    wire::ModelInfo info;
    info.dimension = 1;
    info.outputs = hub::Output::kDense;
    const int replicas = 1 + Below(6);
    for (int i = 0; i < replicas; ++i) {
      addresses_.push_back("replica" + std::to_string(i) + ":1");
      tulips_[addresses_.back()].info = std::make_shared<wire::ModelInfo>(info);
      tulips_[addresses_.back()].us_per_token = 1 << Below(12);
    }
    set_ = std::make_unique<ReplicaSet>(
        ReplicaSetOptions{
            .model = "m", .chunk_timeout = kChunkTimeout, .clock = world_.clock(), .seed = seed},
        tulips_.Factory(), metrics_);
    set_->SetAddresses(addresses_);
    set_->Tick();
  }

  void Run() {
    for (int i = 0; i < 120; ++i) {
      const int what = Below(10);
      if (what < 7) Ask();
      if (what == 7) ChangeMode();
      if (what == 8) Relist();
      if (what == 9) RunFor(milliseconds(Below(1000)));
    }
    RunFor(2 * (kChunkTimeout + kTick));
    CheckRequests();
    Recover();
  }

 private:
  struct Request {
    int calls = 0;
    absl::StatusOr<wire::InferenceResult> result = absl::UnknownError("none");
    TimePoint sent, ended, deadline;
    bool cancelled = false;
  };

  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }

  void Ask() {
    const auto id = static_cast<int32_t>(requests_.size());
    Request& asked = requests_[id];
    wire::InferenceRequest request;
    request.ids.assign(static_cast<std::size_t>(1 + Below(2000)), id);
    request.lengths = {static_cast<int32_t>(request.ids.size())};
    asked.sent = world_.now();
    asked.deadline = Below(3) > 0 ? TimePoint::max() : asked.sent + milliseconds(Below(4000));
    request.deadline = asked.deadline;
    const auto cancel = std::make_shared<wire::CancelToken>();
    request.cancel = cancel;
    if (Below(8) == 0) {
      world_.In(milliseconds(Below(500)), [cancel, &asked] {
        cancel->Cancel();
        asked.cancelled = true;
      });
    }
    set_->Infer(std::move(request), [this, &asked](auto result) {
      ++asked.calls;
      asked.ended = world_.now();
      asked.result = std::move(result);
    });
  }

  void ChangeMode() {
    VirtualTulip& tulip =
        tulips_[addresses_[static_cast<std::size_t>(Below(static_cast<int>(addresses_.size())))]];
    tulip.mode = static_cast<Mode>(Below(5));
    tulip.serving = Below(4) > 0;
    tulip.punctual = Below(2) > 0;
  }

  void Relist() {
    std::vector<std::string> listed;
    for (const std::string& address : addresses_) {
      if (Below(3) > 0) listed.push_back(address);
    }
    set_->SetAddresses(listed);
  }

  void RunFor(Duration time, Duration tick = kTick) {
    for (const TimePoint end = world_.now() + time; world_.now() < end;) {
      world_.RunFor(std::min(tick, end - world_.now()));
      set_->Tick();
      EXPECT_LE(set_->Engines(), static_cast<int>(addresses_.size()));
    }
  }

  void CheckRequests() {
    std::map<int32_t, int> attempts;
    for (const std::string& address : addresses_) {
      std::set<int32_t> here;
      for (const int32_t id : tulips_[address].seen) {
        ++attempts[id];
        EXPECT_TRUE(here.insert(id).second) << id << " came twice to " << address;
      }
    }
    for (const auto& [id, request] : requests_) {
      ASSERT_EQ(request.calls, 1) << id;
      ASSERT_LE(attempts[id], 2) << id;
      EXPECT_LE(request.ended,
                std::min(request.deadline, request.sent + 2 * kChunkTimeout) + 2 * kTick);
      if (!request.result.ok()) continue;
      ASSERT_EQ(request.result->dense.values, std::vector<float>{static_cast<float>(id)});
    }
  }

  /// All is well again: every replica works, none keeps a chunk, none starves.
  void Recover() {
    for (const std::string& address : addresses_) {
      tulips_[address].mode = Mode::kAnswers;
      tulips_[address].serving = true;
      tulips_[address].us_per_token = 10;
      tulips_[address].free_at = world_.now();
      tulips_[address].seen.clear();
    }
    set_->SetAddresses(addresses_);
    RunFor(seconds(65), seconds(1));
    requests_.clear();
    for (int round = 0; round < 30; ++round) {
      for (int i = 0; i < 4; ++i) Ask();
      RunFor(milliseconds(100));
    }
    RunFor(2 * (kChunkTimeout + kTick));
    CheckRequests();
    EXPECT_EQ(set_->Engines(), static_cast<int>(addresses_.size()));
    const std::string metrics = metrics_.Text();
    for (const std::string& address : addresses_) {
      EXPECT_FALSE(tulips_[address].seen.empty()) << address << " starves";
      EXPECT_EQ(tulips_[address].connections, 1);
      const std::string idle =
          "parterre_replica_outstanding_tokens{model=\"m\",replica=\"" + address + "\"} 0\n";
      EXPECT_NE(metrics.find(idle), std::string::npos) << address;
    }
  }

  std::mt19937_64 random_;
  common::Metrics metrics_;
  VirtualWorld world_;
  VirtualTulips tulips_{world_};
  std::vector<std::string> addresses_;
  std::map<int32_t, Request> requests_;
  std::unique_ptr<ReplicaSet> set_;
};

TEST(ReplicaSetProperty, EachRequestIsAnsweredOnceWhateverHappens) {
  spdlog::set_level(spdlog::level::off);
  for (uint64_t seed = 0; seed < 2000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomLife(seed).Run();
  }
  spdlog::set_level(spdlog::level::info);
}

}  // namespace
}  // namespace ivy
