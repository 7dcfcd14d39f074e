#pragma once

#include <cstddef>
#include <cstdint>

namespace rose {

/// Element types that models compute from: checkpoints store any of them; activations and weights
/// on a device are kFloat32 or kBFloat16.
enum class DType : uint8_t { kFloat32, kFloat16, kBFloat16 };

constexpr std::size_t SizeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 4;
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2;
  }
  return 0;
}

/// "float32", "bfloat16", …: as flags, /info and inspect write it.
constexpr const char* DTypeName(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float32";
    case DType::kFloat16:
      return "float16";
    case DType::kBFloat16:
      return "bfloat16";
  }
  return "unknown";
}

}  // namespace rose
