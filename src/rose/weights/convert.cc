#include "rose/weights/convert.h"

#include <bit>
#include <cstring>

#include "common/check.h"

namespace rose {
namespace {

template <typename T>
T Load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

void Store(float value, float& out) { out = value; }
void Store(float value, BFloat16& out) { out = BFloat16::FromFloat(value); }

template <typename Stored, typename Widen, typename Out>
void ConvertEach(std::span<const std::byte> bytes, Widen widen, std::span<Out> out) {
  CHECK(bytes.size() == out.size() * sizeof(Stored)) << bytes.size() << " bytes";
  for (std::size_t i = 0; i < out.size(); ++i) {
    Store(widen(Load<Stored>(bytes.data() + i * sizeof(Stored))), out[i]);
  }
}

template <typename Out>
void Convert(const HostTensor& tensor, std::span<Out> out) {
  switch (tensor.dtype) {
    case DType::kFloat32:
      return ConvertEach<float>(
          tensor.bytes, [](float value) { return value; }, out);
    case DType::kFloat16:
      return ConvertEach<uint16_t>(tensor.bytes, HalfToFloat, out);
    case DType::kBFloat16:
      return ConvertEach<uint16_t>(
          tensor.bytes, [](uint16_t bits) { return BFloat16{bits}.ToFloat(); }, out);
    default:
      CHECK(false) << tensor.name << ": " << DTypeName(tensor.dtype) << " is no float";
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

void ConvertTo(const HostTensor& tensor, std::span<float> out) { Convert(tensor, out); }
void ConvertTo(const HostTensor& tensor, std::span<BFloat16> out) { Convert(tensor, out); }

}  // namespace rose
