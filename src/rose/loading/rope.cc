#include "rose/loading/rope.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

namespace rose {
namespace {

/// `object` holds the settings under their new name or their old one.
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

absl::StatusOr<double> ReadRopeTheta(const hub::Config& config, double fallback) {
  double theta = fallback;
  ASSIGN_OR_RETURN(theta, config.Float("rope_theta", theta));
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (!config.Has(key)) continue;
    ASSIGN_OR_RETURN(const hub::Config object, config.Object(key));
    RETURN_IF_ERROR(ExpectUnscaled(object));
    ASSIGN_OR_RETURN(theta, object.Float("rope_theta", theta));
  }
  if (theta <= 1) {
    return config.Error("rope_theta", fmt::format("expected more than 1, got {}", theta));
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
