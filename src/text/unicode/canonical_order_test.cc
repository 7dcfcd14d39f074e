#include "text/unicode/canonical_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace text {
namespace {

// Both ways of sorting, around the length where one takes over.
TEST(CanonicalOrderTest, SortsByClassAndKeepsEqualOnesAsTheyCame) {
  std::mt19937 random(1);
  CanonicalOrder order;
  for (int size = 0; size < 200; ++size) {
    std::vector<CanonicalOrder::Mark> expected;
    for (int i = 0; i < size; ++i) {
      const auto combining_class = static_cast<uint8_t>(1 + random() % (size % 2 == 0 ? 255 : 3));
      expected.push_back({static_cast<char32_t>(i), combining_class});
      order.Push(expected.back());
    }
    std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
      return a.combining_class < b.combining_class;
    });
    const auto sorted = order.Sorted();
    ASSERT_EQ(sorted.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(sorted[i].code_point, expected[i].code_point) << i << " of " << size;
    }
    order.Clear();
    ASSERT_TRUE(order.empty());
  }
}

}  // namespace
}  // namespace text
