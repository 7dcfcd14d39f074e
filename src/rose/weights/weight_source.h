#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "common/status.h"
#include "rose/weights/weights.h"

namespace rose {

/// Where a model's weights come from: its files or, to run a config without any, a seed
/// (--weights random:SEED).
struct WeightSource {
  std::optional<uint64_t> random_seed = {};

  absl::StatusOr<std::unique_ptr<Weights>> Open(
      std::span<const std::filesystem::path> files) const {
    if (random_seed) return Weights::Random(*random_seed);
    return Weights::Open(files);
  }
};

}  // namespace rose
