// After load and warm-up a step takes nothing from the heap, on any thread. This program replaces
// operator new to see it; memory that C libraries take by malloc is not counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "rose/models/model_cases.h"
#include "rose/runtime/engine.h"

namespace {

std::atomic<int64_t> allocations = 0;

void* Allocate(std::size_t bytes, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t padded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, padded == 0 ? alignment : padded);
  if (memory == nullptr) std::abort();
  return memory;
}

constexpr auto kDefaultAlignment = std::size_t{__STDCPP_DEFAULT_NEW_ALIGNMENT__};

}  // namespace

// The array and nothrow forms of the standard library call these.
void* operator new(std::size_t bytes) { return Allocate(bytes, kDefaultAlignment); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace rose {
namespace {

TEST(Allocation, CountsWhatIsAllocated) {
  const int64_t before = allocations;
  const auto owned = std::make_unique<std::vector<int>>(100);
  EXPECT_EQ(allocations - before, 2) << owned->size();
}

TEST(Allocation, AStepTakesNothingFromTheHeap) {
  const auto path = ModelCasesPath("bert-mean");
  const auto folder = hub::Open(path, {.max_length = 512});
  ASSERT_TRUE(folder.ok()) << folder.status();
  const auto engine =
      Engine::Create(*folder, {.max_batch_tokens = 2048, .workers = 2, .measure_curve = false});
  ASSERT_TRUE(engine.ok()) << engine.status();
  const ModelCases cases = ReadModelCases(path);
  std::vector<PackedSequences> steps;
  for (const auto& batch : cases.batches) {
    for (const auto* input : batch) steps.emplace_back().Add(input->ids, true);  // Each alone,
    PackedSequences& together = steps.emplace_back();                            // then together.
    for (const auto* input : batch) together.Add(input->ids, true);
  }
  int64_t before = 0;
  for (int round = 0; round < 3; ++round) {
    if (round == 1) before = allocations;  // The first is the warm-up.
    for (const PackedSequences& step : steps) {
      const auto first = (*engine)->Step(step.batch());
      const auto second = (*engine)->Step(step.batch());
      first->Wait();
      second->Wait();
    }
  }
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace rose
