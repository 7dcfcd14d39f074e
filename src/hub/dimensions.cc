#include "hub/dimensions.h"

#include <fmt/format.h>

namespace hub {

absl::StatusOr<std::optional<int64_t>> HiddenSize(const Config& config) {
  for (const char* key : {"hidden_size", "dim", "n_embd", "d_model"}) {
    if (!config.Has(key)) continue;
    ASSIGN_OR_RETURN(const int64_t hidden_size, config.Int(key));
    return hidden_size;
  }
  return std::nullopt;
}

absl::Status CheckHeads(const Config& config) {
  if (!config.Has("num_attention_heads")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t heads, config.Int("num_attention_heads"));
  if (config.Has("hidden_size") && !config.Has("head_dim")) {
    ASSIGN_OR_RETURN(const int64_t hidden_size, config.Int("hidden_size"));
    if (hidden_size % heads != 0) {
      return config.Error(
          "num_attention_heads",
          fmt::format("expected a divisor of hidden_size {}, got {}", hidden_size, heads));
    }
  }
  if (!config.Has("num_key_value_heads")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t kv_heads, config.Int("num_key_value_heads"));
  if (heads % kv_heads == 0) return absl::OkStatus();
  return config.Error(
      "num_key_value_heads",
      fmt::format("expected a divisor of num_attention_heads {}, got {}", heads, kv_heads));
}

}  // namespace hub
