#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rose {

/// A tensor as torch sees one: elements of a storage, from an offset on, with a stride for each
/// extent. All numbers are 0 or more and, bytes aside, in elements.
struct StridedView {
  std::span<const std::byte> bytes;
  int64_t element_bytes = 1;
  int64_t offset = 0;
  std::vector<int64_t> shape = {};
  std::vector<int64_t> strides = {};

  int64_t capacity() const { return std::ssize(bytes) / element_bytes; }

  /// Whether every element lies in `bytes`, and no more of them than fit there: one that is
  /// repeated by a stride of 0 is no stored tensor. What follows asks for this.
  bool IsWithinBytes() const;

  int64_t elements() const;
  /// Its bytes, if they are row-major without gaps.
  std::optional<std::span<const std::byte>> Contiguous() const;
  /// The elements in row-major order, elements() × element_bytes bytes.
  void CopyTo(std::byte* out) const;
};

}  // namespace rose
