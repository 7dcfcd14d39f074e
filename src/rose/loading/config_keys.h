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

/// As many heads as `heads_key` says, which share `hidden` between them: where head_dim or
/// num_key_value_heads stand there too, they have to say the same. Scores are scaled by
/// 1 / sqrt(head_dim).
absl::StatusOr<AttentionParams> ReadAttention(const hub::Config& config, int64_t hidden,
                                              std::string_view heads_key = "num_attention_heads");

/// The same for families of which head_dim may be any and several heads may share a key and value:
/// their projections are num_attention_heads or num_key_value_heads × head_dim wide.
absl::StatusOr<AttentionParams> ReadGroupedAttention(
    const hub::Config& config, int64_t hidden, std::string_view heads_key = "num_attention_heads");

/// The row of a sequence's first token in the position table of RoBERTa and its kin:
/// pad_token_id + 1, which lies within max_position_embeddings.
absl::StatusOr<int64_t> ReadFirstPosition(const hub::Config& config);

/// What a norm adds to the variance: more than 0, at most 1.
absl::StatusOr<float> ReadEpsilon(const hub::Config& config, std::string_view key, float fallback);

/// A key of which only one value is supported, which is also what its absence means.
absl::Status ExpectValue(const hub::Config& config, std::string_view key, std::string_view value);
absl::Status ExpectFlag(const hub::Config& config, std::string_view key, bool value);

}  // namespace rose
