#include "wire/cancel_token.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

namespace wire {
namespace {

TEST(CancelTokenTest, RunsCallbacksOnceWhenItIsCancelled) {
  CancelToken token;
  int runs = 0;
  const CancelCallback callback(token, [&] { ++runs; });
  EXPECT_FALSE(token.cancelled());
  EXPECT_EQ(runs, 0);
  token.Cancel();
  token.Cancel();
  EXPECT_TRUE(token.cancelled());
  EXPECT_EQ(runs, 1);
}

TEST(CancelTokenTest, RunsACallbackThatComesLateAtOnce) {
  CancelToken token;
  token.Cancel();
  int runs = 0;
  const CancelCallback callback(token, [&] { ++runs; });
  EXPECT_EQ(runs, 1);
}

TEST(CancelTokenTest, DoesNotRunWhatIsGone) {
  CancelToken token;
  int runs = 0;
  {
    const CancelCallback callback(token, [&] { ++runs; });
  }
  token.Cancel();
  EXPECT_EQ(runs, 0);
}

TEST(CancelTokenTest, ACallbackMayEndItself) {
  CancelToken token;
  std::optional<CancelCallback> callback;
  callback.emplace(token, [&] { callback.reset(); });
  token.Cancel();
  EXPECT_FALSE(callback.has_value());
}

/// Whatever the order: a callback runs at most once, never after it is gone, and for certain if it
/// was still there when Cancel returned.
TEST(CancelTokenTest, CancellingRacesWithComingAndGoing) {
  for (int round = 0; round < 500; ++round) {
    CancelToken token;
    std::atomic<int> runs = 0;
    std::atomic<bool> gone = false;
    std::atomic<bool> late = false;
    const CancelCallback stays(token, [&] { ++runs; });
    std::thread watcher([&] {
      {
        const CancelCallback leaves(token, [&] { late = late || gone; });
      }
      gone = true;
    });
    token.Cancel();
    EXPECT_EQ(runs, 1);
    watcher.join();
    EXPECT_FALSE(late);
  }
}

}  // namespace
}  // namespace wire
