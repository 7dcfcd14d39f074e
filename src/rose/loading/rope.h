#pragma once

#include <cstdint>
#include <string_view>

#include "common/status.h"
#include "hub/config.h"
#include "rose/core/ops.h"
#include "rose/loading/loader.h"

namespace rose {

/// A base of rotary positions: a number above 1.
absl::StatusOr<double> ReadTheta(const hub::Config& config, std::string_view key, double fallback);

/// rope_theta of the object that `key` holds, else `fallback`. Scaled positions are an error that
/// names the key and the kind.
absl::StatusOr<double> ReadRopeObject(const hub::Config& config, std::string_view key,
                                      double fallback);

/// The base of the rotary positions' angles: rope_theta of rope_parameters or of config.json
/// itself, else `fallback`. As for ReadRopeObject, scaled positions are an error.
absl::StatusOr<double> ReadRopeTheta(const hub::Config& config, double fallback);

/// Angle f of position p is p × theta^(−2f / head_dim), over the whole head.
RopeParams MakeRope(double theta, int64_t positions, int head_dim, Loader& load);

}  // namespace rose
