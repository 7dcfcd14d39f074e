#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/status.h"

namespace rose {

/// What may compute all attention of a model on a GPU; a CPU has one way.
enum class AttentionMethod : uint8_t { kSimple, kFa2, kFa3, kFa4, kCudnn, kShort };

/// As --attention spells it: "fa3".
std::string_view AttentionMethodName(AttentionMethod method);

/// What --attention says: auto is nothing. InvalidArgument names the flag and the methods.
absl::StatusOr<std::optional<AttentionMethod>> ParseAttention(std::string_view name);

}  // namespace rose
