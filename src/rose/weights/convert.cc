#include "rose/weights/convert.h"

#include <bit>
#include <cstring>

#include "common/check.h"
#include "rose/core/bfloat16.h"

namespace rose {
namespace {

template <typename Stored, typename ToFloat>
void WidenEach(std::span<const std::byte> bytes, ToFloat to_float, std::span<float> out) {
  CHECK(bytes.size() == out.size() * sizeof(Stored)) << bytes.size() << " bytes";
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    out[i] = to_float(stored);
  }
}

}  // namespace

float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7fffu;
  if (magnitude < 0x400u) {  // Zero or subnormal: a multiple of 2⁻²⁴.
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
  // Exponents are biased by 15 and 127; all ones (infinity, NaN) stay all ones.
  const uint32_t rebias = magnitude < 0x7c00u ? (127u - 15u) << 23 : (255u - 31u) << 23;
  return std::bit_cast<float>(sign | ((magnitude << 13) + rebias));
}

void Widen(const HostTensor& tensor, std::span<float> out) {
  switch (tensor.dtype) {
    case DType::kFloat32:
      return WidenEach<float>(
          tensor.bytes, [](float value) { return value; }, out);
    case DType::kFloat16:
      return WidenEach<uint16_t>(tensor.bytes, HalfToFloat, out);
    case DType::kBFloat16:
      return WidenEach<uint16_t>(
          tensor.bytes, [](uint16_t bits) { return BFloat16{bits}.ToFloat(); }, out);
  }
}

}  // namespace rose
