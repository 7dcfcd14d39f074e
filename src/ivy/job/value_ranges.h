#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "common/status.h"

namespace ivy {

/// The least and the largest value of each component that a collection's vectors have: what int8
/// and uint8 are scaled by. Taken from vectors as the server gives them.
struct ValueRanges {
  std::vector<float> min, max;  ///< One for each component, min < max.
};

/// A JSON object {"min": […], "max": […]} (--int8-ranges). Errors name the file and the key.
absl::StatusOr<ValueRanges> ReadValueRanges(const std::filesystem::path& file);

}  // namespace ivy
