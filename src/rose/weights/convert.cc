#include "rose/weights/convert.h"

#include <bit>
#include <cstring>

#include "common/check.h"
#include "rose/core/bfloat16.h"

namespace rose {
namespace {

template <typename Stored, typename Out, typename ConvertOne>
void ConvertEach(std::span<const std::byte> bytes, ConvertOne convert, Out* out) {
  const std::size_t count = bytes.size() / sizeof(Stored);
  for (std::size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    out[i] = convert(stored);
  }
}

/// Whether an exponent is all ones, as infinity and NaN have it. Without a branch for each, so that
/// compilers vectorise it.
template <typename Bits>
bool AnyHas(std::span<const std::byte> bytes, Bits exponent) {
  const std::size_t count = bytes.size() / sizeof(Bits);
  Bits any = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + i * sizeof(Bits), sizeof(Bits));
    any = static_cast<Bits>(any | ((bits & exponent) == exponent));
  }
  return any != 0;
}

void Copy(std::span<const std::byte> bytes, void* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
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

void Convert(DType dtype, std::span<const std::byte> bytes, float* out) {
  switch (dtype) {
    case DType::kFloat32:
      return Copy(bytes, out);
    case DType::kFloat16:
      return ConvertEach<uint16_t>(bytes, HalfToFloat, out);
    case DType::kBFloat16:
      return ConvertEach<uint16_t>(
          bytes, [](uint16_t bits) { return BFloat16{bits}.ToFloat(); }, out);
  }
}

void Convert(DType dtype, std::span<const std::byte> bytes, BFloat16* out) {
  switch (dtype) {
    case DType::kFloat32:
      return ConvertEach<float>(bytes, BFloat16::FromFloat, out);
    case DType::kFloat16:
      return ConvertEach<uint16_t>(
          bytes, [](uint16_t half) { return BFloat16::FromFloat(HalfToFloat(half)); }, out);
    case DType::kBFloat16:
      return Copy(bytes, out);
  }
}

bool AllFinite(DType dtype, std::span<const std::byte> bytes) {
  switch (dtype) {
    case DType::kFloat32:
      return !AnyHas<uint32_t>(bytes, 0x7f80'0000);
    case DType::kFloat16:
      return !AnyHas<uint16_t>(bytes, 0x7c00);
    case DType::kBFloat16:
      return !AnyHas<uint16_t>(bytes, 0x7f80);
  }
  CHECK(false) << "dtype " << static_cast<int>(dtype);
}

void Widen(const HostTensor& tensor, std::span<float> out) {
  CHECK(tensor.bytes.size() == out.size() * SizeOf(tensor.dtype))
      << tensor.bytes.size() << " bytes";
  Convert(tensor.dtype, tensor.bytes, out.data());
}

}  // namespace rose
