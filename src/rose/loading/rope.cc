#include "rose/loading/rope.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

namespace rose {
namespace {

/// The kind of positions stands under a new name or an old one, if it is there.
absl::Status ExpectUnscaled(const hub::Config& object) {
  for (const char* key : {"rope_type", "type"}) {
    ASSIGN_OR_RETURN(const std::string kind, object.String(key, "default"));
    if (kind != "default") {
      return object.Error(key, fmt::format("expected \"default\", got \"{}\"", kind));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<double> ReadTheta(const hub::Config& object, std::string_view key, double fallback) {
  ASSIGN_OR_RETURN(const double theta, object.Float(key, fallback));
  if (theta > 1) return theta;
  return object.Error(key, fmt::format("expected more than 1, got {}", theta));
}

absl::StatusOr<double> ReadRopeObject(const hub::Config& config, std::string_view key,
                                      double fallback) {
  if (!config.Has(key)) return fallback;
  ASSIGN_OR_RETURN(const hub::Config object, config.Object(key));
  RETURN_IF_ERROR(ExpectUnscaled(object));
  return ReadTheta(object, "rope_theta", fallback);
}

absl::StatusOr<double> ReadRopeTheta(const hub::Config& config, double fallback) {
  ASSIGN_OR_RETURN(double theta, ReadTheta(config, "rope_theta", fallback));
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    ASSIGN_OR_RETURN(theta, ReadRopeObject(config, key, theta));
  }
  return theta;
}

RopeParams MakeRope(double theta, int64_t positions, int head_dim, Loader& load) {
  const int64_t half = head_dim / 2;
  std::vector<float> table(static_cast<std::size_t>(positions * head_dim));
  for (int64_t f = 0; f < half; ++f) {
    const double frequency = std::pow(theta, -2.0 * static_cast<double>(f) / head_dim);
    for (int64_t p = 0; p < positions; ++p) {
      const double angle = static_cast<double>(p) * frequency;
      float* const row = table.data() + p * head_dim;
      row[f] = static_cast<float>(std::cos(angle));
      row[half + f] = static_cast<float>(std::sin(angle));
    }
  }
  return {
      .table = load.backend().MakeTable(MemoryRows(table, positions, head_dim), DType::kFloat32),
      .head_dim = head_dim,
      .rotary_dim = head_dim};
}

}  // namespace rose
