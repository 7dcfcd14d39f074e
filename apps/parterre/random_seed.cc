#include "random_seed.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

absl::StatusOr<std::optional<uint64_t>> ParseRandomSeed(const std::string& weights) {
  if (weights == "file") return std::nullopt;
  constexpr std::string_view kRandom = "random:";
  uint64_t seed = 0;
  if (weights.starts_with(kRandom)) {
    const char* const end = weights.data() + weights.size();
    const auto [rest, error] = std::from_chars(weights.data() + kRandom.size(), end, seed);
    if (error == std::errc() && rest == end) return seed;
  }
  return absl::InvalidArgumentError(
      fmt::format("--weights: expected file or random:SEED, got {}", weights));
}
