// After load and warm-up a step takes nothing from the heap, on any thread. This program replaces
// operator new to see it; memory that C libraries take by malloc is not counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "rose/models/model_cases.h"
#include "rose/runtime/engine.h"

namespace {

std::atomic<int64_t> allocations = 0;
std::atomic<int64_t> live = 0;  // Of them, not yet freed.

void* Allocate(std::size_t bytes, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  live.fetch_add(1, std::memory_order_relaxed);
  const std::size_t padded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, padded == 0 ? alignment : padded);
  if (memory == nullptr) std::abort();
  return memory;
}

void Free(void* memory) {
  if (memory != nullptr) live.fetch_sub(1, std::memory_order_relaxed);
  std::free(memory);
}

constexpr auto kDefaultAlignment = std::size_t{__STDCPP_DEFAULT_NEW_ALIGNMENT__};

}  // namespace

// The standard library's other forms call these; not so a sanitizer's nothrow form.
void* operator new(std::size_t bytes) { return Allocate(bytes, kDefaultAlignment); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return Allocate(bytes, kDefaultAlignment);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { Free(memory); }

namespace rose {
namespace {

/// What steps change that were run once before.
struct Change {
  int64_t allocations = 0;
  int64_t live = 0;
};

/// The suite's inputs, alone and together.
std::vector<PackedSequences> SuiteSteps() {
  const ModelCases cases = ReadModelCases(ModelCasesPath("bert-mean"));
  std::vector<PackedSequences> steps;
  for (const auto& batch : cases.batches) {
    for (const auto* input : batch) steps.emplace_back().Add(input->ids, true);
    PackedSequences& together = steps.emplace_back();
    for (const auto* input : batch) together.Add(input->ids, true);
  }
  return steps;
}

/// A sequence of each length alone, every sixteenth of them above 64.
std::vector<PackedSequences> EveryLength() {
  std::vector<PackedSequences> steps;
  for (std::size_t length = 1; length <= 512; length += length < 64 ? 1 : 16) {
    steps.emplace_back().Add(std::vector<int32_t>(length, 7), true);
  }
  return steps;
}

/// Two in flight at a time.
Change RunSteps(const char* isa, const std::vector<PackedSequences>& steps) {
  const auto folder = hub::Open(ModelCasesPath("bert-mean"), {.max_length = 512});
  const auto engine = Engine::Create(
      folder.value(), {.isa = isa, .max_batch_tokens = 2048, .workers = 2, .measure_curve = false});
  Change before;
  for (int round = 0; round < 2; ++round) {  // The first is the warm-up.
    before = {.allocations = allocations, .live = live};
    for (const PackedSequences& step : steps) {
      const auto first = engine.value()->Step(step.batch());
      const auto second = engine.value()->Step(step.batch());
      first->Wait();
      second->Wait();
    }
  }
  return {.allocations = allocations - before.allocations, .live = live - before.live};
}

TEST(Allocation, IsCounted) {
  const int64_t before = allocations, live_before = live;
  auto owned = std::make_unique<std::vector<int>>(100);
  EXPECT_EQ(allocations - before, 2) << owned->size();
  EXPECT_EQ(live - live_before, 2);
  owned.reset();
  EXPECT_EQ(live - live_before, 0);
}

void ExpectNothingTaken(const std::vector<PackedSequences>& steps) {
  for (const char* isa : {"avx2", "auto"}) {
    const Change change = RunSteps(isa, steps);
    EXPECT_EQ(change.allocations, 0) << isa;
    EXPECT_EQ(change.live, 0) << isa;
  }
}

TEST(Allocation, AStepTakesNothing) { ExpectNothingTaken(SuiteSteps()); }

// Nothing is planned, compiled or kept for a length: the second round of all of them adds nothing.
TEST(Allocation, Bug39_EveryLengthTwiceKeepsNothing) { ExpectNothingTaken(EveryLength()); }

}  // namespace
}  // namespace rose
