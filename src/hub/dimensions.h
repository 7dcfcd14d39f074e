#pragma once

#include <cstdint>
#include <optional>

#include "common/status.h"
#include "hub/config.h"

namespace hub {

/// The width of a hidden state under any of the names that families give it; nothing if the config
/// has none of them.
absl::StatusOr<std::optional<int64_t>> HiddenSize(const Config& config);

/// Refuses heads that do not divide what they share: hidden_size by num_attention_heads (unless
/// head_dim stands on its own), num_attention_heads by num_key_value_heads. Keys that are not there
/// are not looked at.
absl::Status CheckHeads(const Config& config);

}  // namespace hub
