#include "rose/loading/config_keys.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

namespace rose {
namespace {

/// What kernels are made for.
constexpr int64_t kHeadDimMax = 256;

}  // namespace

absl::StatusOr<Activation> ReadActivation(const hub::Config& config, std::string_view key) {
  ASSIGN_OR_RETURN(const std::string name, config.String(key));
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::kGeluTanh;
  if (name == "relu") return Activation::kRelu;
  if (name == "silu") return Activation::kSilu;
  return config.Error(
      key,
      fmt::format("expected gelu, gelu_new, gelu_pytorch_tanh, relu or silu, got \"{}\"", name));
}

absl::StatusOr<AttentionParams> ReadAttention(const hub::Config& config, int64_t hidden,
                                              std::string_view heads_key) {
  ASSIGN_OR_RETURN(const AttentionParams params, ReadGroupedAttention(config, hidden, heads_key));
  if (int64_t{params.heads} * params.head_dim != hidden) {
    return config.Error("head_dim", fmt::format("expected {}, as {} heads share hidden size {}",
                                                hidden / params.heads, params.heads, hidden));
  }
  if (params.kv_heads != params.heads) {
    return config.Error("num_key_value_heads", fmt::format("expected {}, one for each head, got {}",
                                                           params.heads, params.kv_heads));
  }
  return params;
}

absl::StatusOr<AttentionParams> ReadGroupedAttention(const hub::Config& config, int64_t hidden,
                                                     std::string_view heads_key) {
  ASSIGN_OR_RETURN(const int64_t heads, config.Int(heads_key));
  ASSIGN_OR_RETURN(const int64_t kv_heads, config.Int("num_key_value_heads", heads));
  ASSIGN_OR_RETURN(const int64_t head_dim, config.Int("head_dim", hidden / heads));
  if (!config.Has("head_dim") && hidden % heads != 0) {
    return config.Error(heads_key,
                        fmt::format("{} heads do not divide hidden_size {}", heads, hidden));
  }
  if (kv_heads < 1 || heads % kv_heads != 0) {
    return config.Error("num_key_value_heads",
                        fmt::format("expected a divisor of {} heads, got {}", heads, kv_heads));
  }
  if (head_dim < 2 || head_dim % 2 != 0 || head_dim > kHeadDimMax) {
    return config.Error("head_dim", fmt::format("expected an even number of 2 … {}, got {}",
                                                kHeadDimMax, head_dim));
  }
  return AttentionParams{.heads = static_cast<int>(heads),
                         .kv_heads = static_cast<int>(kv_heads),
                         .head_dim = static_cast<int>(head_dim),
                         .scale = 1 / std::sqrt(static_cast<float>(head_dim))};
}

absl::StatusOr<int64_t> ReadFirstPosition(const hub::Config& config) {
  ASSIGN_OR_RETURN(const int64_t positions, config.Int("max_position_embeddings"));
  ASSIGN_OR_RETURN(const int64_t pad, config.Int("pad_token_id", 1));
  if (pad + 1 < positions) return pad + 1;
  return config.Error("pad_token_id", fmt::format("expected less than {}, of {} positions, got {}",
                                                  positions - 1, positions, pad));
}

absl::StatusOr<float> ReadEpsilon(const hub::Config& config, std::string_view key, float fallback) {
  ASSIGN_OR_RETURN(const double epsilon, config.Float(key, fallback));
  if (epsilon >= std::numeric_limits<float>::min() && epsilon <= 1) {
    return static_cast<float>(epsilon);
  }
  return config.Error(key, fmt::format("expected more than 0 and at most 1, got {}", epsilon));
}

absl::Status ExpectValue(const hub::Config& config, std::string_view key, std::string_view value) {
  ASSIGN_OR_RETURN(const std::string got, config.String(key, value));
  if (got == value) return absl::OkStatus();
  return config.Error(key, fmt::format("expected \"{}\", got \"{}\"", value, got));
}

absl::Status ExpectFlag(const hub::Config& config, std::string_view key, bool value) {
  ASSIGN_OR_RETURN(const bool got, config.Bool(key, value));
  if (got == value) return absl::OkStatus();
  return config.Error(key, fmt::format("expected {}, got {}", value, got));
}

}  // namespace rose
