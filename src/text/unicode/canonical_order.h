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
  void Push(char32_t c, uint8_t combining_class) { marks_.push_back({c, combining_class}); }
  void Clear() { marks_.clear(); }

  struct Mark {
    char32_t code_point;
    uint8_t combining_class;
  };
  /// The run in order; valid until the next call of anything.
  std::span<const Mark> Sorted();

 private:
  std::vector<Mark> marks_;
  std::vector<Mark> sorted_;
};

}  // namespace text
