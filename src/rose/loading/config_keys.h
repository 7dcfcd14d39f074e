#pragma once

#include <cstdint>
#include <string_view>

#include "common/status.h"
#include "hub/config.h"
#include "rose/core/ops.h"

namespace rose {

/// Keys of config.json that families share. Errors name the key and what was expected.

/// gelu | gelu_new | gelu_pytorch_tanh | relu | silu.
absl::StatusOr<Activation> ReadActivation(const hub::Config& config, std::string_view key);

/// As many heads as `heads_key` says, which share `hidden` between them; num_key_value_heads (as
/// many, where it is absent) and head_dim if they are there. Scores are scaled by
/// 1 / sqrt(head_dim).
absl::StatusOr<AttentionParams> ReadAttention(const hub::Config& config, int64_t hidden,
                                              std::string_view heads_key = "num_attention_heads");

/// The row of a sequence's first token in the position table of RoBERTa and its kin:
/// pad_token_id + 1, which lies within max_position_embeddings.
absl::StatusOr<int64_t> ReadFirstPosition(const hub::Config& config);

/// A key of which only one value is supported, which is also what its absence means.
absl::Status ExpectValue(const hub::Config& config, std::string_view key, std::string_view value);
absl::Status ExpectFlag(const hub::Config& config, std::string_view key, bool value);

}  // namespace rose
