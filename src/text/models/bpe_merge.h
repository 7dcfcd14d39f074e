#pragma once

#include <cstdint>

namespace text {

/// A merge of two pieces of a vocabulary, all by id. Its rank is its place in the list of merges.
struct BpeMerge {
  int32_t left = 0, right = 0, merged = 0;
};

}  // namespace text
