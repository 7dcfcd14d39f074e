#pragma once

#include <cstddef>
#include <cstdint>

namespace rose {

/// Element types that checkpoints store; activations and weights are kFloat32 or kBFloat16.
enum class DType : uint8_t { kFloat32, kFloat16, kBFloat16, kInt8, kUint8, kInt32, kInt64, kBool };

constexpr std::size_t SizeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kInt32:
      return 4;
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2;
    case DType::kInt64:
      return 8;
    case DType::kInt8:
    case DType::kUint8:
    case DType::kBool:
      return 1;
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
    case DType::kInt8:
      return "int8";
    case DType::kUint8:
      return "uint8";
    case DType::kInt32:
      return "int32";
    case DType::kInt64:
      return "int64";
    case DType::kBool:
      return "bool";
  }
  return "unknown";
}

}  // namespace rose
