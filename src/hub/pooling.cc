#include "hub/pooling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace hub {
namespace {

struct ModeNames {
  PoolingMode mode;
  const char* name;          ///< Ours.
  const char* pooling_mode;  ///< As the value of that key.
  const char* flag;          ///< As the key of a flag.
};

// In the order in which the library concatenates what several flags ask for.
constexpr ModeNames kModes[] = {
    {PoolingMode::kCls, "cls", "cls", "pooling_mode_cls_token"},
    {PoolingMode::kMax, "max", "max", "pooling_mode_max_tokens"},
    {PoolingMode::kMean, "mean", "mean", "pooling_mode_mean_tokens"},
    {PoolingMode::kMeanSqrtLen, "mean_sqrt_len", "mean_sqrt_len_tokens",
     "pooling_mode_mean_sqrt_len_tokens"},
    {PoolingMode::kWeightedMean, "weighted_mean", "weightedmean",
     "pooling_mode_weightedmean_tokens"},
    {PoolingMode::kLastToken, "last_token", "lasttoken", "pooling_mode_lasttoken"},
};

/// Version 6: one name, or a list of names in the order of concatenation.
absl::StatusOr<std::vector<PoolingMode>> ReadModeNames(const Config& config) {
  std::vector<std::string> names;
  if (const absl::StatusOr<std::string> name = config.String("pooling_mode"); name.ok()) {
    names = {*name};
  } else {
    ASSIGN_OR_RETURN(names, config.Strings("pooling_mode"));
  }
  std::vector<PoolingMode> modes;
  for (const std::string& name : names) {
    const std::size_t known = modes.size();
    for (const ModeNames& entry : kModes) {
      if (name == entry.pooling_mode) modes.push_back(entry.mode);
    }
    if (modes.size() == known) {
      return config.Error("pooling_mode", fmt::format("unknown mode \"{}\"", name));
    }
  }
  return modes;
}

/// Older versions: a flag for each mode. Without a word about any of them it is the mean.
absl::StatusOr<std::vector<PoolingMode>> ReadModeFlags(const Config& config) {
  std::vector<PoolingMode> modes;
  for (const ModeNames& entry : kModes) {
    ASSIGN_OR_RETURN(const bool on, config.Bool(entry.flag, false));
    if (on) modes.push_back(entry.mode);
  }
  // Early files know fewer flags, and leave the mean out where it is the default.
  if (modes.empty() && !config.Has("pooling_mode_mean_tokens")) modes = {PoolingMode::kMean};
  return modes;
}

absl::Status CheckDimension(const Config& config, std::optional<int64_t> hidden_size) {
  if (!hidden_size) return absl::OkStatus();
  for (const char* key : {"word_embedding_dimension", "embedding_dimension"}) {
    ASSIGN_OR_RETURN(const int64_t dimension, config.Int(key, *hidden_size));
    if (dimension != *hidden_size) {
      return config.Error(
          key, fmt::format("expected the model's hidden size {}, got {}", *hidden_size, dimension));
    }
  }
  return absl::OkStatus();
}

}  // namespace

const char* PoolingModeName(PoolingMode mode) {
  for (const ModeNames& entry : kModes) {
    if (entry.mode == mode) return entry.name;
  }
  return "unknown";
}

absl::StatusOr<PoolingMode> ParsePoolingMode(std::string_view name) {
  if (name == "last-token") return PoolingMode::kLastToken;
  std::string known;
  for (const ModeNames& entry : kModes) {
    if (name == entry.name) return entry.mode;
    known += known.empty() ? entry.name : fmt::format(", {}", entry.name);
  }
  return absl::InvalidArgumentError(
      fmt::format("pooling: unknown mode \"{}\", expected one of {}", name, known));
}

PoolingMode DefaultPoolingMode(std::string_view model_type) {
  constexpr std::array<std::string_view, 7> kCausal = {
      "qwen2", "qwen3", "qwen3_5", "qwen3_5_text", "llama", "mistral", "gemma2"};
  const bool causal = std::find(kCausal.begin(), kCausal.end(), model_type) != kCausal.end();
  return causal ? PoolingMode::kLastToken : PoolingMode::kMean;
}

std::vector<std::string_view> PoolingNames(const Pooling& pooling) {
  std::vector<std::string_view> names;
  names.reserve(pooling.modes.size());
  for (const PoolingMode mode : pooling.modes) names.emplace_back(PoolingModeName(mode));
  return names;
}

absl::StatusOr<Pooling> ReadPooling(const Config& config, std::optional<int64_t> hidden_size) {
  RETURN_IF_ERROR(CheckDimension(config, hidden_size));
  Pooling pooling;
  const bool by_name = config.Has("pooling_mode");
  ASSIGN_OR_RETURN(pooling.modes, by_name ? ReadModeNames(config) : ReadModeFlags(config));
  if (pooling.modes.empty()) {
    return config.Error(by_name ? "pooling_mode" : "pooling_mode_…", "expected at least one mode");
  }
  ASSIGN_OR_RETURN(pooling.include_prompt, config.Bool("include_prompt", true));
  return pooling;
}

}  // namespace hub
