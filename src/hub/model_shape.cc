#include "hub/model_shape.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>

namespace hub {
namespace {

constexpr int64_t kLayersMax = 1024;

/// A number and the key that it stands under.
struct Entry {
  std::string_view key;
  std::optional<int64_t> value;
};

absl::StatusOr<Entry> FirstInt(const Config& config, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (!config.Has(key)) continue;
    ASSIGN_OR_RETURN(const int64_t value, config.Int(key));
    return Entry{.key = key, .value = value};
  }
  return Entry{.key = {}, .value = std::nullopt};
}

/// More than any model has; so many are a mistake that would take long to be noticed otherwise.
absl::Status ExpectAtMost(const Config& config, const Entry& entry, int64_t largest) {
  if (!entry.value || *entry.value <= largest) return absl::OkStatus();
  return config.Error(entry.key, fmt::format("expected at most {}, got {}", largest, *entry.value));
}

absl::Status ExpectDivisor(const Config& config, const Entry& divisor, const Entry& whole) {
  if (!divisor.value || !whole.value || *whole.value % *divisor.value == 0) return absl::OkStatus();
  return config.Error(divisor.key, fmt::format("expected a divisor of {} {}, got {}", whole.key,
                                               *whole.value, *divisor.value));
}

}  // namespace

absl::StatusOr<ModelShape> ReadModelShape(const Config& config) {
  if (config.Has("text_config")) {
    ASSIGN_OR_RETURN(const Config text, config.Object("text_config"));
    return ReadModelShape(text);
  }
  ASSIGN_OR_RETURN(const Entry layers,
                   FirstInt(config, {"num_hidden_layers", "n_layers", "n_layer"}));
  ASSIGN_OR_RETURN(const Entry hidden_size,
                   FirstInt(config, {"hidden_size", "dim", "n_embd", "d_model"}));
  ASSIGN_OR_RETURN(const Entry heads,
                   FirstInt(config, {"num_attention_heads", "n_heads", "n_head"}));
  ASSIGN_OR_RETURN(const Entry kv_heads, FirstInt(config, {"num_key_value_heads"}));
  ASSIGN_OR_RETURN(const Entry vocabulary_size, FirstInt(config, {"vocab_size"}));
  RETURN_IF_ERROR(ExpectAtMost(config, layers, kLayersMax));
  if (!config.Has("head_dim")) RETURN_IF_ERROR(ExpectDivisor(config, heads, hidden_size));
  RETURN_IF_ERROR(ExpectDivisor(config, kv_heads, heads));
  return ModelShape{.layers = layers.value,
                    .hidden_size = hidden_size.value,
                    .heads = heads.value,
                    .vocabulary_size = vocabulary_size.value};
}

}  // namespace hub
