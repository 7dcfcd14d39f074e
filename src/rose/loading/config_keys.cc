#include "rose/loading/config_keys.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace rose {

absl::StatusOr<Activation> ReadActivation(const hub::Config& config, std::string_view key) {
  ASSIGN_OR_RETURN(const std::string name, config.String(key));
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::kGeluTanh;
  if (name == "relu") return Activation::kRelu;
  return config.Error(
      key, fmt::format("expected gelu, gelu_new, gelu_pytorch_tanh or relu, got \"{}\"", name));
}

absl::StatusOr<AttentionParams> ReadAttention(const hub::Config& config, int64_t hidden) {
  ASSIGN_OR_RETURN(const int64_t heads, config.Int("num_attention_heads"));
  if (hidden % heads != 0) {
    return config.Error("num_attention_heads",
                        fmt::format("{} heads do not divide hidden_size {}", heads, hidden));
  }
  const int64_t head_dim = hidden / heads;
  return AttentionParams{.heads = static_cast<int>(heads),
                         .head_dim = static_cast<int>(head_dim),
                         .scale = 1 / std::sqrt(static_cast<float>(head_dim))};
}

absl::Status ExpectValue(const hub::Config& config, std::string_view key, std::string_view value) {
  ASSIGN_OR_RETURN(const std::string got, config.String(key, value));
  if (got == value) return absl::OkStatus();
  return config.Error(key, fmt::format("expected \"{}\", got \"{}\"", value, got));
}

}  // namespace rose
