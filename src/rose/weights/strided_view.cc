#include "rose/weights/strided_view.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

namespace rose {

bool StridedView::IsWithinBytes() const {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  int64_t count = 1;
  int64_t last = offset;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    int64_t step = 0;
    if (__builtin_mul_overflow(count, shape[i], &count) ||
        __builtin_mul_overflow(shape[i] - 1, strides[i], &step) ||
        __builtin_add_overflow(last, step, &last)) {
      return false;
    }
  }
  return count <= capacity() && last < capacity();
}

int64_t StridedView::elements() const {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

std::optional<std::span<const std::byte>> StridedView::Contiguous() const {
  if (elements() == 0) return bytes.first(0);
  int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    // Of a single row or column the stride says nothing.
    if (shape[i] != 1 && strides[i] != stride) return std::nullopt;
    stride *= shape[i];
  }
  return bytes.subspan(static_cast<std::size_t>(offset * element_bytes),
                       static_cast<std::size_t>(stride * element_bytes));
}

void StridedView::CopyTo(std::byte* out) const {
  const auto size = static_cast<std::size_t>(element_bytes);
  std::vector<int64_t> index(shape.size(), 0);
  int64_t element = offset;
  for (int64_t left = elements(); left > 0; --left, out += size) {
    std::memcpy(out, bytes.data() + static_cast<std::size_t>(element) * size, size);
    // To the next index, the last one fastest.
    for (std::size_t i = shape.size(); i-- > 0;) {
      element += strides[i];
      if (++index[i] < shape[i]) break;
      element -= shape[i] * strides[i];
      index[i] = 0;
    }
  }
}

}  // namespace rose
