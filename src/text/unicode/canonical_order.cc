#include "text/unicode/canonical_order.h"

#include <array>
#include <cstddef>

namespace text {
namespace {

constexpr std::size_t kInsertionMax = 32;  // Longer runs are counted by class.

}  // namespace

std::span<const CanonicalOrder::Mark> CanonicalOrder::Sorted() {
  if (marks_.size() <= kInsertionMax) {
    for (std::size_t i = 1; i < marks_.size(); ++i) {
      const Mark mark = marks_[i];
      std::size_t to = i;
      for (; to > 0 && marks_[to - 1].combining_class > mark.combining_class; --to) {
        marks_[to] = marks_[to - 1];
      }
      marks_[to] = mark;
    }
    return marks_;
  }
  std::array<std::size_t, 257> place{};
  for (const Mark& mark : marks_) ++place[mark.combining_class + 1];
  for (std::size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
  sorted_.resize(marks_.size());
  for (const Mark& mark : marks_) sorted_[place[mark.combining_class]++] = mark;
  return sorted_;
}

}  // namespace text
