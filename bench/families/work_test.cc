#include "bench/families/work.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {
namespace {

using testing::FieldsAre;
using testing::UnorderedElementsAre;

/// Of one of the configs beside this file.
std::unique_ptr<WorkCounter> CounterOf(const std::string& model) {
  const auto folder =
      hub::Open(std::string(BENCH_FAMILY_CONFIGS) + "/" + model, {.weights_required = false});
  EXPECT_TRUE(folder.ok()) << folder.status().message();
  auto counter = WorkCounter::Create(*folder);
  EXPECT_TRUE(counter.ok()) << counter.status().message();
  return *std::move(counter);
}

/// For one sequence of `tokens`.
Work WorkOf(const WorkCounter& counter, int32_t tokens) {
  return counter.Count(std::vector<int32_t>{0, tokens});
}

TEST(WorkCounter, CountsLinearLayersAndAttentionOfBert) {
  // Of MiniLM's six blocks: queries, keys and values in one; output; up; down.
  const auto counter = CounterOf("all-MiniLM-L6-v2");
  const Work work = WorkOf(*counter, 100);
  EXPECT_THAT(work.products,
              UnorderedElementsAre(FieldsAre(384, 1152, 6), FieldsAre(384, 384, 6),
                                   FieldsAre(384, 1536, 6), FieldsAre(1536, 384, 6)));
  EXPECT_DOUBLE_EQ(work.linear_flops, 2.0 * 100 * 6 * 384 * (1152 + 384 + 2 * 1536));
  EXPECT_DOUBLE_EQ(work.attention_flops, 4.0 * 6 * 384 * 100 * 100);
  EXPECT_DOUBLE_EQ(counter->Count(std::vector<int32_t>{0, 100, 150}).attention_flops,
                   4.0 * 6 * 384 * (100 * 100 + 50 * 50));
}

TEST(WorkCounter, CountsThePairsThatACausalMaskLeaves) {
  const auto counter = CounterOf("Qwen3-Embedding-0.6B");
  EXPECT_EQ(WorkOf(*counter, 1).parameters, 595'776'512);  // As published.
  EXPECT_DOUBLE_EQ(WorkOf(*counter, 100).attention_flops, 4.0 * 28 * 2048 * 100 * 101 / 2);
}

TEST(WorkCounter, CountsThePairsThatAWindowLeaves) {
  const auto counter = CounterOf("gte-modernbert-base");
  EXPECT_EQ(WorkOf(*counter, 1).parameters, 149'014'272);  // As published.
  // Eight of 22 layers see all; in the others the first and the last 64 tokens lack what lies
  // beyond the sequence: 1 + … + 64 keys at either end.
  EXPECT_DOUBLE_EQ(WorkOf(*counter, 1000).attention_flops,
                   4.0 * 768 * (8 * 1000.0 * 1000 + 14 * (129.0 * 1000 - 64 * 65)));
}

}  // namespace
}  // namespace bench
