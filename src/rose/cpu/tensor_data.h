#pragma once

#include "common/check.h"
#include "rose/core/tensor.h"

namespace rose::cpu {

/// A tensor's elements for kernels.
template <typename T>
T* Data(Tensor tensor) {
  DCHECK(SizeOf(tensor.dtype) == sizeof(T)) << "is " << DTypeName(tensor.dtype);
  return static_cast<T*>(tensor.data);
}

template <typename T>
T* DataOrNull(Tensor tensor) {
  return tensor.data == nullptr ? nullptr : Data<T>(tensor);
}

}  // namespace rose::cpu
