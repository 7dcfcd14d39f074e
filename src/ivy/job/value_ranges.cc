#include "ivy/job/value_ranges.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/json.h"

namespace ivy {
namespace {

using nlohmann::json;

absl::Status Wrong(const std::filesystem::path& file, const std::string& key,
                   std::string_view message) {
  return absl::InvalidArgumentError(fmt::format("{}: {}: {}", file.string(), key, message));
}

absl::StatusOr<std::vector<float>> ReadNumbers(const std::filesystem::path& file,
                                               const json& object, const char* key) {
  const auto list = object.find(key);
  if (list == object.end()) return Wrong(file, key, "is missing");
  if (!list->is_array() || list->empty()) return Wrong(file, key, "expected a list of numbers");
  std::vector<float> numbers;
  for (const json& number : *list) {
    const float value = number.is_number() ? number.get<float>() : NAN;
    if (!std::isfinite(value)) {
      return Wrong(file, fmt::format("{}[{}]", key, numbers.size()), "expected a number");
    }
    numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

absl::StatusOr<ValueRanges> ReadValueRanges(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const json object, common::ReadJsonFile(file));
  if (!object.is_object()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected an object with \"min\" and \"max\"", file.string()));
  }
  ValueRanges ranges;
  ASSIGN_OR_RETURN(ranges.min, ReadNumbers(file, object, "min"));
  ASSIGN_OR_RETURN(ranges.max, ReadNumbers(file, object, "max"));
  if (ranges.min.size() != ranges.max.size()) {
    return Wrong(file, "max",
                 fmt::format("expected {} numbers, as many as in min, got {}", ranges.min.size(),
                             ranges.max.size()));
  }
  for (std::size_t i = 0; i < ranges.min.size(); ++i) {
    if (ranges.min[i] < ranges.max[i]) continue;
    return Wrong(file, fmt::format("max[{}]", i),
                 fmt::format("expected more than min, {}, got {}", ranges.min[i], ranges.max[i]));
  }
  return ranges;
}

}  // namespace ivy
