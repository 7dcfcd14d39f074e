#pragma once

#include <cstdint>
#include <string_view>

#include "common/status.h"
#include "hub/config.h"
#include "rose/core/ops.h"

namespace rose {

/// Keys of config.json that families share. Errors name the key and what was expected.

/// gelu | gelu_new | gelu_pytorch_tanh | relu.
absl::StatusOr<Activation> ReadActivation(const hub::Config& config, std::string_view key);

/// num_attention_heads, which must divide `hidden`; scores are scaled by 1 / sqrt(head_dim).
absl::StatusOr<AttentionParams> ReadAttention(const hub::Config& config, int64_t hidden);

/// A key of which only one value is supported, which is also what its absence means.
absl::Status ExpectValue(const hub::Config& config, std::string_view key, std::string_view value);

}  // namespace rose
