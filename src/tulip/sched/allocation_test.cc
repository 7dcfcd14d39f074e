// Forming and packing batches allocates nothing once the buffers exist: it happens on the engine
// thread, between two steps.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tulip/sched/batch_buffer.h"
#include "tulip/sched/batch_former.h"
#include "tulip/sched/make_request.h"

namespace {

thread_local int64_t allocations = 0;

}  // namespace

// Not inlined, or the compiler sees memory from `new` end in `free` and warns.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}

[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace tulip {
namespace {

class Allocation : public ::testing::TestWithParam<Schedule> {};

TEST_P(Allocation, FormingAndPackingAllocateNothing) {
  constexpr int64_t kBudgetTokens = 512;
  constexpr int64_t kStepTokensMax = 8192;
  common::VirtualClock clock;
  RequestQueue queue(QueueLimits{}, GetParam());
  BatchFormer former(kBudgetTokens, kBudgetTokens);
  BatchBuffer buffer(kStepTokensMax);
  BatchPlan plan;
  plan.slices.reserve(kBudgetTokens);
  auto cancelled = std::make_shared<wire::CancelToken>();
  cancelled->Cancel();
  for (int i = 0; i < 2000; ++i) {
    wire::InferenceRequest request = MakeRequest({1 + i % 7, 1 + i % 300, 1});
    if (i % 5 == 0) request.type_ids.assign(request.ids.size(), 1);
    if (i % 11 == 0) request.cancel = cancelled;
    if (i % 3 == 0) request.job = 1 + i % 100;
    RequestList one = ListOfOne(std::move(request));
    ASSERT_TRUE(queue.Push(one).ok());
  }
  RequestList one = ListOfOne(MakeRequest({static_cast<int32_t>(kStepTokensMax)}));
  ASSERT_TRUE(queue.Push(one).ok());

  int steps = 0;
  RequestList ended;
  const int64_t before = allocations;
  while (!queue.empty()) {
    former.Form(queue, clock.Now(), plan);
    if (!plan.slices.empty()) buffer.Pack(plan);
    ended.splice(ended.end(), plan.ended);
    plan.Clear();
    clock.Advance(std::chrono::milliseconds(1));
    ++steps;
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(steps, 500);
  EXPECT_EQ(ended.size(), 2001U);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Allocation, ::testing::Values(Schedule::kFcfs, Schedule::kFair),
                         [](const auto& schedule) { return ScheduleName(schedule.param); });

TEST(AllocationCounter, Counts) {
  const int64_t before = allocations;
  const auto something = std::make_unique<int>(1);
  EXPECT_EQ(allocations - before, 1);
}

}  // namespace
}  // namespace tulip
