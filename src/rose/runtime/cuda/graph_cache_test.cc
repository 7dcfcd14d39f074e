#include "rose/runtime/cuda/graph_cache.h"

#include <gtest/gtest.h>

#include <memory>

namespace rose {
namespace {

/// Counts how many of its kind live.
struct FakeGraph {
  int64_t bytes = 0;
  std::shared_ptr<int> alive = {};
  int64_t memory_bytes() const { return bytes; }
};

using Cache = GraphCache<FakeGraph>;
using Action = Cache::Action;

GraphKey Key(int64_t tokens) {
  return {.bucket = {.tokens = tokens, .sequences = 1, .longest = tokens},
          .outputs = hub::Output::kDense};
}

void Capture(Cache& cache, int64_t tokens, FakeGraph graph) {
  cache.Meet(Key(tokens));
  ASSERT_EQ(cache.Meet(Key(tokens)).action, Action::kCapture);
  cache.Insert(Key(tokens), std::move(graph));
}

TEST(GraphCache, EagerThenCaptureThenReplay) {
  Cache cache(100);
  EXPECT_EQ(cache.Meet(Key(16)).action, Action::kRunEagerly);
  EXPECT_EQ(cache.Meet(Key(16)).action, Action::kCapture);
  cache.Insert(Key(16), {.bytes = 10});
  for (int i = 0; i < 3; ++i) {
    const Cache::Decision decision = cache.Meet(Key(16));
    EXPECT_EQ(decision.action, Action::kReplay);
    EXPECT_EQ(decision.graph->bytes, 10);
  }
  EXPECT_EQ(cache.counters().eager, 1);
  EXPECT_EQ(cache.counters().captures, 1);
  EXPECT_EQ(cache.counters().replays, 3);
  EXPECT_EQ(cache.counters().memory_bytes, 10);
}

TEST(GraphCache, WhatWasRefusedRunsEagerly) {
  Cache cache(100);
  cache.Meet(Key(16));
  EXPECT_EQ(cache.Meet(Key(16)).action, Action::kCapture);
  cache.Refuse(Key(16));
  EXPECT_EQ(cache.Meet(Key(16)).action, Action::kRunEagerly);
  EXPECT_EQ(cache.counters().eager, 3);
  EXPECT_EQ(cache.counters().captures, 0);
}

TEST(GraphCache, OutputsAndBucketsAreApart) {
  Cache cache(100);
  cache.Meet(Key(16));
  GraphKey tokens = Key(16);
  tokens.outputs = hub::Output::kTokens;
  EXPECT_EQ(cache.Meet(tokens).action, Action::kRunEagerly);
  EXPECT_EQ(cache.Meet(Key(32)).action, Action::kRunEagerly);
}

TEST(GraphCache, Bug39_TheLeastRecentlyUsedGoes) {
  Cache cache(25);
  const auto counter = std::make_shared<int>();
  Capture(cache, 16, {.bytes = 10, .alive = counter});
  Capture(cache, 32, {.bytes = 10, .alive = counter});
  EXPECT_EQ(cache.Meet(Key(16)).action, Action::kReplay);
  Capture(cache, 48, {.bytes = 10, .alive = counter});
  EXPECT_EQ(counter.use_count(), 3) << "two graphs and the test";
  EXPECT_EQ(cache.counters().evictions, 1);
  EXPECT_EQ(cache.counters().memory_bytes, 20);
  EXPECT_EQ(cache.Meet(Key(16)).action, Action::kReplay);
  EXPECT_EQ(cache.Meet(Key(48)).action, Action::kReplay);
  EXPECT_EQ(cache.Meet(Key(32)).action, Action::kRunEagerly) << "as if it were new";
}

TEST(GraphCache, AGraphBeyondTheLimitStandsAlone) {
  Cache cache(5);
  Capture(cache, 16, {.bytes = 10});
  EXPECT_EQ(cache.Meet(Key(16)).action, Action::kReplay);
  Capture(cache, 32, {.bytes = 10});
  EXPECT_EQ(cache.counters().memory_bytes, 10);
  EXPECT_EQ(cache.Meet(Key(32)).action, Action::kReplay);
}

TEST(GraphCache, Bug39_KeysMetOnceAreForgottenToo) {
  Cache cache(100);
  Capture(cache, 1, {.bytes = 10});
  for (int64_t tokens = 2; tokens < 70000; ++tokens) cache.Meet(Key(tokens));
  EXPECT_EQ(cache.counters().memory_bytes, 0);
  EXPECT_EQ(cache.Meet(Key(1)).action, Action::kRunEagerly);
}

}  // namespace
}  // namespace rose
