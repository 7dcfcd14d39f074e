#include "wire/grpc/packed.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace wire {
namespace {

// Else packing were more than a copy; what Parterre runs on is.
static_assert(std::endian::native == std::endian::little);

template <typename T>
std::string Copy(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

template <typename T>
absl::StatusOr<std::vector<T>> Read(std::string_view bytes, std::string_view field) {
  if (bytes.size() % sizeof(T) != 0) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {} bytes, expected a multiple of {}", field, bytes.size(), sizeof(T)));
  }
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Finite values stay as near as they can be; one beyond bfloat16's range becomes infinite.
uint16_t Round(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

}  // namespace

std::string PackInts(std::span<const int32_t> values) { return Copy(values); }

std::string PackFloats(std::span<const float> values, ValueType type) {
  if (type == ValueType::kFloat32) return Copy(values);
  std::vector<uint16_t> halves(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) halves[i] = Round(values[i]);
  return Copy(std::span<const uint16_t>(halves));
}

absl::StatusOr<std::vector<int32_t>> UnpackInts(std::string_view bytes, std::string_view field) {
  return Read<int32_t>(bytes, field);
}

absl::StatusOr<std::vector<float>> UnpackFloats(std::string_view bytes, ValueType type,
                                                std::string_view field) {
  if (type == ValueType::kFloat32) return Read<float>(bytes, field);
  ASSIGN_OR_RETURN(const std::vector<uint16_t> halves, Read<uint16_t>(bytes, field));
  std::vector<float> values(halves.size());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    values[i] = std::bit_cast<float>(uint32_t{halves[i]} << 16);
  }
  return values;
}

}  // namespace wire
