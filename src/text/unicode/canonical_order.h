#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace text {

/// A run of characters with combining classes above 0, to be put in canonical order: by class,
/// equal classes as they came. Linear in the length of the run. Keeps its memory for reuse.
class CanonicalOrder {
 public:
  bool empty() const { return marks_.empty(); }
  struct Mark {
    char32_t code_point;
    uint8_t combining_class;
    bool inserted = false;  ///< carried along: whether it continues the decomposition of another
  };
  void Push(const Mark& mark) { marks_.push_back(mark); }
  void Clear() { marks_.clear(); }

  /// The run in order; valid until the next call of anything.
  std::span<const Mark> Sorted();

 private:
  std::vector<Mark> marks_;
  std::vector<Mark> sorted_;
};

}  // namespace text
