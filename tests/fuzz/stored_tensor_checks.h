#pragma once

#include <span>
#include <vector>

#include "common/check.h"
#include "rose/weights/stored_tensor.h"

/// CHECKs that each tensor lies in the file, or in its own copy, and reads every byte.
inline void CheckTensors(std::span<const std::byte> file,
                         const std::vector<rose::StoredTensor>& tensors) {
  unsigned sum = 0;
  for (const rose::StoredTensor& tensor : tensors) {
    CHECK(tensor.elements() >= 0) << tensor.name;
    for (const std::byte byte : tensor.bytes) sum += std::to_integer<unsigned>(byte);
    if (tensor.copy != nullptr || tensor.bytes.empty()) continue;
    CHECK(tensor.bytes.data() >= file.data()) << tensor.name;
    CHECK(tensor.bytes.data() + tensor.bytes.size() <= file.data() + file.size()) << tensor.name;
  }
  volatile unsigned read = sum;
  static_cast<void>(read);
}
