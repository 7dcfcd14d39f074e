#include "rose/core/arena.h"

#include <algorithm>

#include "common/check.h"

namespace rose {

Tensor Arena::Take(int64_t rows, int64_t cols, DType dtype) {
  Tensor tensor{.dtype = dtype, .rows = rows, .cols = cols};
  const int64_t padded = (tensor.bytes() + kAlignment - 1) / kAlignment * kAlignment;
  CHECK(padded <= bytes_ - used_) << "arena of " << bytes_ << " bytes is too small";
  if (base_ != nullptr) tensor.data = base_ + used_;
  used_ += padded;
  peak_ = std::max(peak_, used_);
  return tensor;
}

void Arena::Release(int64_t mark) {
  DCHECK(0 <= mark && mark <= used_);
  used_ = mark;
}

}  // namespace rose
