#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace bench {

/// How long inputs are, and how often.
class LengthDistribution {
 public:
  /// Reads lines "TOKENS WEIGHT"; empty lines and what follows a # are passed over. Errors name the
  /// line and what was expected.
  static absl::StatusOr<LengthDistribution> Parse(std::string_view text);
  /// The same of a file; errors start with its name.
  static absl::StatusOr<LengthDistribution> Read(const std::filesystem::path& file);

  int Draw(std::mt19937_64& random) const;
  double mean() const;

 private:
  struct Step {
    int tokens = 0;
    double weight_below = 0;  ///< Of it and of all before.
  };

  std::vector<Step> steps_;  ///< At least one, whose weight is above 0.
};

}  // namespace bench
