#include "ivy/replica/replica_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "ivy/job/fake_client.h"

namespace ivy {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// Answers on a thread of its own.
class ThreadReplica final : public Replica {
 public:
  ThreadReplica(std::string address, std::atomic<bool>& serving)
      : address_(std::move(address)), serving_(serving) {}
  const std::string& address() const override { return address_; }
  void Infer(wire::InferenceRequest request, Callback done) override {
    if (!serving_) return done(absl::UnavailableError("gone"));
    client_.Infer(std::move(request), std::move(done));
  }
  std::shared_ptr<const wire::ModelInfo> info() const override { return info_; }
  bool serving() const override { return serving_; }

 private:
  const std::string address_;
  std::atomic<bool>& serving_;
  FakeClient client_{1};
  const std::shared_ptr<const wire::ModelInfo> info_ =
      std::make_shared<wire::ModelInfo>(client_.Info());
};

class ReplicaKeeperTest : public ::testing::Test {
 protected:
  std::unique_ptr<ReplicaKeeper> Keep(Resolver resolver) {
    return std::make_unique<ReplicaKeeper>(
        ReplicaKeeperOptions{.set = {.model = "m"}, .refresh = milliseconds(5)},
        std::move(resolver),
        [this](const std::string& address) {
          return std::make_unique<ThreadReplica>(address, serving_.at(address));
        },
        metrics_);
  }
  static void AwaitHealth(ReplicaSet& set) {
    while (!set.Healthy()) std::this_thread::sleep_for(milliseconds(1));
  }

  common::Metrics metrics_;
  std::map<std::string, std::atomic<bool>> serving_;
};

TEST_F(ReplicaKeeperTest, IsUnavailableWhileNoneServesOrIsListed) {
  serving_["a:1"] = false;
  using Addresses = absl::StatusOr<std::vector<std::string>>;
  for (const Addresses& addresses :
       {Addresses(std::vector<std::string>{"a:1"}), Addresses(std::vector<std::string>()),
        Addresses(absl::UnavailableError("no such name"))}) {
    std::atomic<int> asked = 0;
    const auto keeper = Keep([&]() -> Addresses {
      ++asked;
      return addresses;
    });
    while (asked < 3) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_FALSE(keeper->set().Healthy());
    absl::Status status;
    keeper->set().Infer({}, [&](const auto& result) { status = result.status(); });
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  }
}

TEST_F(ReplicaKeeperTest, FindsOneThatComesLater) {
  serving_["a:1"] = false;
  std::atomic<int> asked = 0;
  const auto keeper = Keep([&]() -> absl::StatusOr<std::vector<std::string>> {
    serving_["a:1"] = ++asked >= 3;  // From the third look at the list on.
    return std::vector<std::string>{"a:1"};
  });
  AwaitHealth(keeper->set());
  EXPECT_GE(asked, 3);
}

/// All that comes is answered once, from many threads, while replicas join, leave and break.
TEST_F(ReplicaKeeperTest, ManyThreads) {
  for (const char* address : {"a:1", "b:1", "c:1"}) serving_[address] = true;
  std::mutex mutex;
  std::vector<std::string> listed = {"a:1", "b:1", "c:1"};
  auto keeper = Keep([&]() -> absl::StatusOr<std::vector<std::string>> {
    const std::lock_guard lock(mutex);
    return listed;
  });
  ReplicaSet& set = keeper->set();
  AwaitHealth(set);
  std::atomic<int> answered = 0;
  std::atomic<int> failed = 0;
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        wire::InferenceRequest request;
        request.ids = {i};
        request.lengths = {1};
        set.Infer(std::move(request), [&](const auto& result) {
          ++answered;
          failed += result.ok() ? 0 : 1;
        });
        if (i % 20 == 0) std::this_thread::sleep_for(milliseconds(1));
      }
    });
  }
  for (int round = 0; round < 20; ++round) {
    serving_["b:1"] = round % 2 == 0;
    {
      const std::lock_guard lock(mutex);
      listed = round % 3 == 0 ? std::vector<std::string>{"a:1", "b:1"}
                              : std::vector<std::string>{"a:1", "b:1", "c:1"};
    }
    std::this_thread::sleep_for(milliseconds(2));
  }
  for (std::thread& thread : threads) thread.join();
  keeper.reset();
  EXPECT_EQ(answered, kThreads * kEach);
}

TEST(Resolver, NamesAndPorts) {
  for (const char* wrong :
       {"", "localhost:1", "dns:///", "dns:///localhost", "dns:///:1", "dns:///localhost:0",
        "dns:///localhost:65536", "dns:///localhost:1x", "dns://localhost:1", "dns:////a:1"}) {
    const auto target = ParseDnsTarget(wrong);
    EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument) << wrong;
    EXPECT_THAT(std::string(target.status().message()),
                HasSubstr("expected dns:///NAME:PORT, got \"" + std::string(wrong) + "\""));
  }
  for (const char* address : {"127.0.0.1:50051", "[::1]:50051"}) {
    const auto target = ParseDnsTarget("dns:///" + std::string(address));
    ASSERT_TRUE(target.ok()) << target.status();
    const auto addresses = MakeDnsResolver(*target)();
    if (!addresses.ok() && *address == '[') continue;  // A machine without IPv6.
    ASSERT_TRUE(addresses.ok()) << addresses.status();
    EXPECT_EQ(*addresses, std::vector<std::string>{address});
  }
}

}  // namespace
}  // namespace ivy
