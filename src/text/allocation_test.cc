#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>

#include "text/test_cases.h"

// Counts what this thread takes from the heap while a count is under way.

namespace {

thread_local bool counting = false;
thread_local std::size_t allocations = 0;

void* Allocate(std::size_t size) {
  if (counting) ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace text {
namespace {

std::size_t AllocationsOf(const Tokenizer& tokenizer, const std::vector<std::string>& texts,
                          Scratch& scratch, std::vector<int32_t>& ids) {
  allocations = 0;
  counting = true;
  for (const std::string& text : texts) {
    for (const int max_length : {0, 32}) {
      for (const auto side : {TruncationSide::kRight, TruncationSide::kLeft}) {
        ids.clear();
        tokenizer.Encode(text, {.max_length = max_length, .truncation_side = side}, scratch, ids);
      }
    }
  }
  counting = false;
  return allocations;
}

class AllocationTest : public testing::TestWithParam<const char*> {};

TEST_P(AllocationTest, NoneOnceTheScratchHasGrown) {
  const Tokenizer& tokenizer = CaseTokenizer(GetParam());
  std::vector<std::string> texts = {std::string(300000, 'a'), "a\u302E\U0001D165\u302E"};
  for (const auto& line :
       ReadCaseLines(CaseFolders()[0] / (std::string(GetParam()) + ".jsonl.gz"))) {
    texts.push_back(line["text"]);
  }
  Scratch scratch;
  std::vector<int32_t> ids;
  EXPECT_GT(AllocationsOf(tokenizer, texts, scratch, ids), 0u) << "nothing is counted";
  EXPECT_EQ(AllocationsOf(tokenizer, texts, scratch, ids), 0u);
}

INSTANTIATE_TEST_SUITE_P(Bases, AllocationTest,
                         testing::Values("bert", "qwen3", "xlmr", "xlmr-metaspace"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

}  // namespace
}  // namespace text
