#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

// Numbers as the protocol writes them: little-endian, one after the other.

namespace wire {

/// How the numbers of vectors travel.
enum class ValueType : uint8_t { kFloat32, kBFloat16 };

std::string PackInts(std::span<const int32_t> values);
/// bfloat16: rounded to the nearest, ties to even.
std::string PackFloats(std::span<const float> values, ValueType type);

/// InvalidArgument names `field`, whose bytes are no whole number of values.
absl::StatusOr<std::vector<int32_t>> UnpackInts(std::string_view bytes, std::string_view field);
absl::StatusOr<std::vector<float>> UnpackFloats(std::string_view bytes, ValueType type,
                                                std::string_view field);

}  // namespace wire
